import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writableEngines } from '../../../src/engine/compression/stream';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import { writeBundle, type BundleRequest } from '../../../src/engine/server/writeBundle';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { CuttingServer } from '../../fixtures/cuttingServer';
import { builtEngine } from '../../fixtures/engine';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { HgServer, runHg } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';
import { buildRepository, repository } from '../../fixtures/repositories';
import { assertSound, historyOf, storeFiles } from '../../fixtures/repositoryState';

const hasZstd = writableEngines.includes('zstd');
/** What `hg debugbundle --spec` says of them. */
const changegroups = ['none-v2', 'gzip-v2', 'none-v1', 'gzip-v1', ...(hasZstd ? ['zstd-v2'] : [])];
const nodes = ['log', '-T', '{node}\n'];

describe('bundle files', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('bundle-files');
  const root = repository('branches');
  let engine: Engine;
  let number = 0;
  const place = () => join(folder.path, `${number++}`);
  before(() => {
    engine = builtEngine();
  });
  after(async () => {
    await engine.dispose();
    folder[Symbol.dispose]();
  });

  const write = async (request: Partial<BundleRequest>): Promise<string> => {
    const file = place();
    await engine.writeBundle({ root, file, type: 'gzip-v2', ...request }, unattended);
    return file;
  };
  const empty = (): string => {
    const target = place();
    hg('/', ['init', target]);
    return target;
  };

  for (const type of changegroups) {
    it(`hg looks into ${type}, and takes it`, async () => {
      const file = await write({ type });
      assert.equal(hgText(root, ['debugbundle', '--spec', file]), type);
      const target = empty();
      assert.equal(hgText(target, ['incoming', '-q', '-T', '{node}\n', file]), hgText(root, [...nodes, '-r', 'all()']));
      hg(target, ['unbundle', '-q', file]);
      assertSound(target);
      assert.equal(hgText(target, nodes), hgText(root, nodes));
      assert.equal(hgText(target, ['branches', '-c']), hgText(root, ['branches', '-c']));
    });
  }

  it('hg makes the same store of a stream of version 1', async () => {
    const file = await write({ type: 'none-packed1' });
    assert.match(hgText(root, ['debugbundle', '--spec', file]), /^none-packed1;requirements%3D/);
    const target = empty();
    hg(target, ['debugapplystreamclonebundle', file]);
    assertSound(target);
    assert.deepEqual(histories(target), histories(root));
  });

  it('a stream of version 2 is what hg writes', async () => {
    const [file, theirs] = [await write({ type: 'none-v2;stream=v2' }), place()];
    hg(root, ['bundle', '-q', '-a', '-t', 'none-v2;stream=v2', theirs]);
    assert.equal(hgText(root, ['debugbundle', file]), hgText(root, ['debugbundle', theirs]));
    assert.deepEqual(readFileSync(file), readFileSync(theirs));
  });

  it('holds what is asked for, without what is there', async () => {
    const [some, base] = ['v1.0', '0'];
    for (const type of ['gzip-v2', 'none-v1']) {
      const file = await write({ type, revisions: [some], bases: [base] });
      const target = place();
      hg('/', ['clone', '-q', '-U', '-r', base, root, target]);
      hg(target, ['unbundle', '-q', file]);
      assertSound(target);
      assert.equal(hgText(target, nodes), hgText(root, [...nodes, '-r', `reverse(::${some} + ::${base})`]));
    }
  });

  it('leaves secrets out of changegroups, and makes no stream where there are some', async () => {
    const secret = buildRepository('draft', place());
    hg(secret, ['phase', '--force', '--secret', '-r', 'tip']);
    const file = await write({ root: secret });
    const target = empty();
    hg(target, ['unbundle', '-q', file]);
    assert.equal(hgText(target, nodes), hgText(secret, [...nodes, '-r', 'reverse(not secret())']));
    for (const type of ['none-packed1', 'none-v2;stream=v2']) {
      await assert.rejects(write({ root: secret, type }), { kind: 'unsupported', message: /does not allow/ });
    }
  });

  it('says what it cannot write, and leaves what was there', async () => {
    const refused: [Partial<BundleRequest>, object][] = [
      [{ type: 'bzip2-v2' }, { kind: 'unsupported', message: /bzip2/ }],
      [{ type: 'bzip2-v1' }, { kind: 'unsupported', message: /bzip2/ }],
      [{ type: 'zstd-v1' }, { kind: 'unsupported', message: /zstd-v1/ }],
      ...(hasZstd ? [] : [[{ type: 'zstd-v2' }, { kind: 'unsupported', message: /zstd/ }] as [object, object]]),
      [{ type: 'gzip-packed1' }, { kind: 'unsupported', message: /never compressed/ }],
      [{ type: 'sorted' }, { kind: 'protocol' }],
      [{ revisions: ['nowhere'] }, { kind: 'unsupported', message: /nowhere/ }],
      [
        { revisions: ['0'], bases: ['tip'] },
        { kind: 'unsupported', message: /no changesets/ },
      ],
      [
        { type: 'none-packed1', revisions: ['0'] },
        { kind: 'unsupported', message: /whole store/ },
      ],
      [{ root: folder.path }, { kind: 'destination' }],
      [{ file: join(folder.path, 'missing', 'file') }, { kind: 'destination' }],
    ];
    const file = join(folder.path, 'kept');
    writeFileSync(file, 'kept');
    for (const [request, error] of refused) {
      await assert.rejects(write({ file, ...request }), error, JSON.stringify(request));
      assert.equal(readFileSync(file, 'utf8'), 'kept');
    }
    const stop = new AbortController();
    const operation = { ...unattended, signal: stop.signal, progress: () => stop.abort() };
    const large = repository('manyFiles');
    // In this thread, so that it is stopped at once.
    await assert.rejects(writeBundle({ root: large, file, type: 'none-v2;stream=v2' }, operation), {
      kind: 'cancelled',
    });
    assert.equal(readFileSync(file, 'utf8'), 'kept');
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.includes('.part')),
      [],
    );
  });

  it('are named for those who clone, by hg serve and by us, and taken', async () => {
    const source = place();
    hg('/', ['clone', '-q', '-U', '--pull', root, source]);
    for (const [type, format] of [
      ['none-v2;stream=v2', 'stream v2'],
      ['none-packed1', 'stream v1'],
      ['gzip-v2', 'changegroup 02'],
    ]) {
      const target = place();
      const request = { root: source, folder: target, types: [type], isInstalled: true };
      const { bundles } = await engine.writeCloneBundles(request, unattended);
      await using files = await CuttingServer.start(readFileSync(bundles[0].file));
      const published = { ...request, baseUrl: new URL('.', files.url).href };
      const { text, manifest } = await engine.writeCloneBundles(published, unattended);
      assert.equal(readFileSync(manifest, 'utf8'), text);
      await using theirs = await HgServer.start(source, { config: ['extensions.clonebundles='] });
      await using ours = await engine.serve({ repositories: [{ root: source }] }, unattended);
      for (const [at, address] of [theirs.url, ours.address].entries()) {
        const clone = place();
        const { code, stdout, stderr } = await runHg(['clone', address, clone]);
        assert.equal(code, 0, stderr);
        assert.match(stdout.toString(), /applying clone bundle from http:/);
        assert.equal(files.ranges.length, at + 1, type);
        assertSound(clone);
        assert.deepEqual(historyOf(clone), historyOf(source));
      }
      const clone = place();
      const cloneBundles = { isOn: true, fallsBack: false, prefers: [] };
      const wish = { source: ours.address, destination: clone, update: { kind: 'none' }, cloneBundles } as const;
      const settings = defaultWireSettings;
      const summary =
        type === 'gzip-v2'
          ? await engine.cloneByPull({ ...wish, settings }, unattended)
          : await engine.clone({ ...wish, settings }, unattended);
      assert.equal(summary.format, format);
      assert.ok(summary.cloneBundle?.address.startsWith(published.baseUrl));
    }
  });

  it('are found by hg in a folder of this machine', async () => {
    const [source, target, clone] = [place(), place(), place()];
    hg('/', ['clone', '-q', '-U', '--pull', root, source]);
    const { bundles } = await engine.writeCloneBundles({ root: source, folder: target, isInstalled: true }, unattended);
    assert.equal(bundles.length, 2);
    await using server = await engine.serve({ repositories: [{ root: source }] }, unattended);
    const { code, stdout, stderr } = await runHg(['clone', '-U', server.address, clone]);
    assert.equal(code, 0, stderr);
    assert.match(stdout.toString(), /applying clone bundle from file:/);
    assertSound(clone);
    assert.equal(existsSync(join(target, 'clonebundles.manifest')), true);
  });
});

/** What a stream brings of a store. */
function histories(repo: string): [string, string][] {
  return storeFiles(repo).filter(([name]) => /\.[id]$/.test(name));
}
