import { deepEqual, equal, throws } from 'node:assert/strict';
import { parseBundleSpec } from '../../../src/engine/bundle/bundleSpec';
import {
  orderCloneBundles,
  parseCloneBundles,
  usableCloneBundles,
  type CloneBundleNeeds,
} from '../../../src/engine/exchange/cloneBundleManifest';

const gigabyte = 2 ** 30;
const pull: CloneBundleNeeds = { way: 'pull', isSecure: false, memory: 4 * gigabyte };
const stream: CloneBundleNeeds = { ...pull, way: 'stream' };
const usable = (manifest: string, needs: CloneBundleNeeds) =>
  usableCloneBundles(parseCloneBundles(manifest), needs, () => undefined).map(({ url }) => url.replace(/.*\//, ''));

describe('a bundle specification', () => {
  it('says what a bundle is', () => {
    const cases: [string, Partial<ReturnType<typeof parseBundleSpec>>][] = [
      ['gzip-v2', { compression: 'zlib', compressionName: 'gzip', version: 'v2', isStream: false }],
      ['zstd-v2;obsolescence=true;phases=true', { compression: 'zstd', isStream: false }],
      ['bzip2-v1', { compression: 'bzip2', version: 'v1' }],
      [
        'none-packed1;requirements=generaldelta%2Crevlogv1',
        { isStream: true, requirements: ['generaldelta', 'revlogv1'] },
      ],
      ['none-v2;stream=v2;requirements=revlogv1', { isStream: true }],
      ['none-v2;cg.version=03', { isStream: false }],
    ];
    for (const [text, expected] of cases) {
      const spec = parseBundleSpec(text);
      deepEqual({ ...spec, ...expected }, spec, text);
    }
  });

  it('is refused where it is none, or of a kind that nobody knows', () => {
    for (const text of ['', 'gzip', 'v2', '-', 'gzip-v2;x', 'a b-v2']) {
      throws(() => parseBundleSpec(text), { kind: 'protocol' }, text);
    }
    for (const text of [
      'xz-v2',
      'gzip-v3',
      'zstd-v1',
      'none-v2;stream=v9',
      'none-v2;cg.version=04',
      'constructor-v2',
    ]) {
      throws(() => parseBundleSpec(text), { kind: 'unsupported' }, text);
    }
  });
});

describe('a manifest of clone bundles', () => {
  const manifest = [
    'http://h/gzip BUNDLESPEC=gzip-v2 REQUIRESNI=true',
    'https://h/zstd BUNDLESPEC=zstd-v2 region=eu%20west',
    '',
    'http://h/packed BUNDLESPEC=none-packed1;requirements%3Dgeneraldelta%2Crevlogv1',
    'http://h/tree BUNDLESPEC=none-packed1;requirements%3Dtreemanifest%2Crevlogv1',
    'http://h/stream BUNDLESPEC=none-v2;stream%3Dv2;requirements%3Drevlogv1',
    'http://h/unknown BUNDLESPEC=brotli-v9',
    'http://h/unsaid',
    'ftp://h/ftp BUNDLESPEC=gzip-v2',
    'peer-bundle-cache://inline BUNDLESPEC=gzip-v2',
    'file:///etc/passwd BUNDLESPEC=gzip-v2',
    'http://h/big BUNDLESPEC=gzip-v2 REQUIREDRAM=3GB',
    'http://h/small BUNDLESPEC=gzip-v2 REQUIREDRAM=2.5g',
    'http://h/odd BUNDLESPEC=gzip-v2 REQUIREDRAM=much',
  ].join('\n');

  it('is read line by line', () => {
    const [first, second] = parseCloneBundles(manifest);
    equal(first.spec?.compression, 'zlib');
    deepEqual(
      [...second.attributes],
      [
        ['BUNDLESPEC', 'zstd-v2'],
        ['region', 'eu west'],
        ['COMPRESSION', 'zstd'],
        ['VERSION', 'v2'],
      ],
    );
    deepEqual(parseCloneBundles(''), []);
    deepEqual(parseCloneBundles('\n  \n'), []);
  });

  it('leaves what can be read, for changesets and for streams', () => {
    deepEqual(usable(manifest, pull), ['gzip', 'zstd', 'unsaid', 'small']);
    deepEqual(usable(manifest, stream), ['packed', 'stream']);
    deepEqual(usable(manifest, { ...pull, memory: 8 * gigabyte }), ['gzip', 'zstd', 'unsaid', 'big', 'small']);
    deepEqual(usable(manifest, { ...pull, isSecure: true }), ['zstd']);
  });

  it('is ordered as it is preferred, and otherwise left as it is', () => {
    const all = parseCloneBundles(manifest);
    const order = (...preferences: string[]) =>
      orderCloneBundles(all, preferences).map(({ url }) => url.replace(/.*\//, ''));
    deepEqual(
      order(),
      all.map(({ url }) => url.replace(/.*\//, '')),
    );
    equal(order('COMPRESSION=zstd')[0], 'zstd');
    deepEqual(order('VERSION=packed1', 'COMPRESSION=zstd').slice(0, 3), ['packed', 'tree', 'zstd']);
    equal(order('region=eu west')[0], 'zstd');
    equal(order('nothing=x')[0], 'gzip');
  });
});
