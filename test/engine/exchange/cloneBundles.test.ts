import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import type { CloneBundleSettings } from '../../../src/engine/exchange/cloneBundleSettings';
import type { CloneSummary } from '../../../src/engine/exchange/cloneRequest';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { BusyRepository } from '../../fixtures/busyRepository';
import { CuttingServer, type CuttingOptions } from '../../fixtures/cuttingServer';
import { builtEngine } from '../../fixtures/engine';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { HgServer, runHg } from '../../fixtures/hg';
import { hg } from '../../fixtures/hgCommand';
import { assertSound, historyOf } from '../../fixtures/repositoryState';

const settings = { ...defaultWireSettings, retryDelay: 1, stallTimeout: 5000 };
const strict: CloneBundleSettings = { isOn: true, fallsBack: false, prefers: [] };
type Way = 'stream' | 'pull';

/** Bundles of both kinds, and how `hg` makes them. */
const kinds = {
  'none-v2;stream%3Dv2': { make: ['-t', 'none-v2;stream=v2'], format: 'stream v2', way: 'stream' },
  'none-packed1;requirements%3Dgeneraldelta%2Crevlog-compression-zstd%2Crevlogv1%2Csparserevlog': {
    make: undefined,
    format: 'stream v1',
    way: 'stream',
  },
  'zstd-v2': { make: ['-t', 'zstd-v2'], format: 'changegroup 02', way: 'pull' },
  'gzip-v1': { make: ['-t', 'gzip-v1'], format: 'changegroup 01', way: 'pull' },
} as const;

describe('a clone by a bundle that the server names', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('clone-bundles');
  const bundles = new Map<string, Buffer>();
  let engine: Engine;
  let server: HgServer;
  let root: string;
  let number = 0;
  const place = () => join(folder.path, `${number++}`);

  before(async () => {
    engine = builtEngine();
    const busy = new BusyRepository(place(), 21);
    root = busy.root;
    for (let round = 0; round < 4; round++) busy.work();
    for (const [spec, { make }] of Object.entries(kinds)) {
      const path = place();
      hg(
        root,
        make === undefined ? ['debugcreatestreamclonebundle', '-q', path] : ['bundle', '-q', '-a', ...make, path],
      );
      bundles.set(spec, readFileSync(path));
    }
    for (let round = 0; round < 3; round++) busy.work();
    server = await HgServer.start(root, { config: ['extensions.clonebundles='] });
  });
  after(async () => {
    await server.stop();
    await engine.dispose();
    folder[Symbol.dispose]();
  });

  const bundleOf = (spec: string) => bundles.get(spec) ?? Buffer.of();
  const publish = (...lines: string[]) => writeFileSync(join(root, '.hg', 'clonebundles.manifest'), lines.join('\n'));
  const clone = (way: Way, destination: string, cloneBundles = strict): Promise<CloneSummary> => {
    const request = { source: server.url, destination, update: { kind: 'default' }, settings, cloneBundles } as const;
    return way === 'stream' ? engine.clone(request, unattended) : engine.cloneByPull(request, unattended);
  };

  for (const [spec, { format, way }] of Object.entries(kinds)) {
    it(`has what hg has, whose connection did not break: ${spec.slice(0, 20)}`, async () => {
      const bundle = bundleOf(spec);
      await using files = await CuttingServer.start(bundle, { cutAfter: Math.ceil(bundle.length / 5), cuts: 3 });
      publish(`http://127.0.0.1:9/other BUNDLESPEC=brotli-v9`, `${files.url} BUNDLESPEC=${spec}`);
      const ours = place();
      const summary = await clone(way, ours);
      equal(summary.format, format);
      equal(summary.cloneBundle?.address, files.url);
      equal(summary.cloneBundle.resumptions, 3);
      equal(summary.cloneBundle.bytes, bundle.length);
      equal(files.sent, bundle.length);
      match(summary.reason, /^a clone bundle from 127\.0\.0\.1:\d+, then changegroup 0\d from the server$/);
      ok(summary.revisions > summary.cloneBundle.revisions);

      await using whole = await CuttingServer.start(bundle);
      publish(`${whole.url} BUNDLESPEC=${spec}`);
      const theirs = place();
      const { code, stderr } = await runHg(['clone', '-q', server.url, theirs]);
      equal(code, 0, stderr);
      deepEqual(whole.ranges, ['']);
      deepEqual(historyOf(ours), historyOf(theirs));
      equal(historyOf(ours).length, summary.revisions);
      assertSound(ours);
      equal((await engine.pull({ root: ours, settings }, unattended)).changesets.length, 0);
    });
  }

  it('takes the one that is preferred, and none where the settings want none', async () => {
    await using gzip = await CuttingServer.start(bundleOf('gzip-v1'));
    await using zstd = await CuttingServer.start(bundleOf('zstd-v2'));
    publish(`${gzip.url} BUNDLESPEC=gzip-v1`, `${zstd.url} BUNDLESPEC=zstd-v2`);
    equal((await clone('pull', place())).cloneBundle?.address, gzip.url);
    const preferring = { ...strict, prefers: ['COMPRESSION=zstd'] };
    equal((await clone('pull', place(), preferring)).cloneBundle?.address, zstd.url);
    equal((await clone('pull', place(), { ...strict, isOn: false })).cloneBundle, undefined);
    // A stream is wanted, and there is none among them.
    equal((await clone('stream', place())).cloneBundle, undefined);
  });

  const broken: [string, (bundle: Buffer) => Buffer, CuttingOptions, RegExp][] = [
    ['is missing', (bundle) => bundle, {}, /There is no file|failed/],
    ['ends early', (bundle) => bundle.subarray(0, bundle.length / 2), {}, /ended after/],
    ['is something else', () => Buffer.from('<html>'), {}, /no bundle/],
    ['breaks off for good', (bundle) => bundle, { cutAfter: 1000, cuts: 1, version: 'none' }, /broke off/],
  ];
  for (const [what, damage, options, words] of broken) {
    it(`fails or goes on without, as the settings say, when the bundle ${what}`, async () => {
      for (const [way, spec] of [
        ['stream', 'none-v2;stream%3Dv2'],
        ['pull', 'zstd-v2'],
      ] as const) {
        await using files = await CuttingServer.start(damage(bundleOf(spec)), { ...options });
        const url = what === 'is missing' ? `${server.url}raw-file/tip/nothing` : files.url;
        publish(`${url} BUNDLESPEC=${spec}`);
        const ours = place();
        await rejects(clone(way, ours), (error: Error & { advice?: string }) => {
          match(error.message, /^The clone bundle at .* failed: /);
          match(error.message, words);
          match(error.advice ?? '', /ui\.clonebundlefallback/);
          return true;
        });
        equal(existsSync(ours), false);
        const again = await CuttingServer.start(damage(bundleOf(spec)), { ...options });
        publish(`${what === 'is missing' ? url : again.url} BUNDLESPEC=${spec}`);
        const summary = await clone(way, ours, { ...strict, fallsBack: true });
        await again[Symbol.asyncDispose]();
        equal(summary.cloneBundle, undefined);
        match(summary.warnings[0], words);
        equal(historyOf(ours).length, summary.revisions);
        assertSound(ours);
      }
      deepEqual(
        readdirSync(folder.path).filter((name) => name.startsWith('.')),
        [],
      );
    });
  }

  it('accepts no text that is not what its hash says, whoever made the bundle', async () => {
    const plain = place();
    hg(root, ['bundle', '-q', '-a', '-t', 'none-v2', plain]);
    const bytes = readFileSync(plain);
    bytes[bytes.indexOf('work 0') + 5] ^= 1;
    await using files = await CuttingServer.start(bytes);
    publish(`${files.url} BUNDLESPEC=none-v2`);
    const ours = place();
    await rejects(clone('pull', ours), { kind: 'integrity' });
    equal(existsSync(ours), false);
  });
});
