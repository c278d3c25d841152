import assert from 'node:assert/strict';
import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { BusyRepository, stateOf } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { HgServer, serverDialects, temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';
import { casesOf, roundsOf } from '../../fixtures/howMuch';
import { assertListed, assertVerified, bundleRounds, judge, pullRounds } from '../../fixtures/pullRounds';
import { repository, repositoryKinds } from '../../fixtures/repositories';

describe('pull', function () {
  this.timeout(180_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let count = 0;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('pull');
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const fresh = (name = 'clone') => join(folder.path, `${name}-${count++}`);
  const settings = defaultWireSettings;
  const clone = (source: string, destination: string) =>
    engine.cloneByPull({ source, destination, update: { kind: 'none' }, settings }, unattended);
  const pull = (root: string, source?: string) => engine.pull({ root, source, settings }, unattended);

  for (const kind of casesOf(repositoryKinds, ['empty', 'branches', 'draft', 'nastyNames', 'uncompressed'])) {
    it(`clones ${kind} as hg does`, async () => {
      await using server = await HgServer.start(repository(kind), { config: ['phases.publish=no'] });
      const [ours, theirs] = [fresh(), fresh()];
      await clone(server.url, ours);
      await judge(['clone', '-q', '-U', '--pull', server.url, theirs]);
      assert.equal(stateOf(ours), stateOf(theirs));
      assert.deepEqual(linesOf(ours, 'requires'), linesOf(theirs, 'requires'));
      assertListed(ours);
      assertVerified(ours);
    });
  }

  for (const [dialect, config] of Object.entries(serverDialects)) {
    it(`keeps up with a busy repository: ${dialect}`, async () => {
      const busy = new BusyRepository(fresh('busy'), 7);
      await using server = await HgServer.start(busy.root, { config });
      await pullRounds(engine, {
        busy,
        source: server.url,
        ours: fresh(),
        theirs: fresh(),
        rounds: roundsOf(20, 2),
        settings,
      });
    });
  }

  it('keeps a bookmark that went elsewhere beside ours, as hg does', async () => {
    const source = fresh('marks');
    hg(folder.path, ['init', source]);
    commit(source, 'first');
    for (const name of ['@', 'stays', 'goes on', 'parts']) hg(source, ['bookmark', '-i', name]);
    await using server = await HgServer.start(source);
    const clones = [fresh(), fresh()];
    await clone(server.url, clones[0]);
    await judge(['clone', '-q', '-U', server.url, clones[1]]);
    commit(source, 'theirs');
    for (const name of ['@', 'goes on', 'parts', 'new']) hg(source, ['bookmark', '-f', '-i', name]);
    for (const root of clones) {
      hg(root, ['update', '-q', '0']);
      commit(root, 'ours');
      for (const name of ['@', 'stays', 'parts']) hg(root, ['bookmark', '-f', '-i', name]);
    }
    const { bookmarks } = await pull(clones[0]);
    await judge(['-R', clones[1], 'pull', '-q']);
    assert.equal(hgText(clones[0], ['bookmarks']), hgText(clones[1], ['bookmarks']));
    assert.deepEqual(bookmarks, { added: ['new'], moved: ['goes on'], diverged: ['@default', 'parts@default'] });
  });

  it('undoes a whole pull when hg rolls it back', async () => {
    const busy = new BusyRepository(fresh('busy'), 11);
    await using server = await HgServer.start(busy.root);
    const ours = fresh();
    await clone(server.url, ours);
    const before = stateOf(ours);
    for (let round = 0; round < 3; round++) busy.work();
    await pull(ours);
    assert.notEqual(stateOf(ours), before);
    hg(ours, ['--config', 'ui.rollback=yes', 'rollback', '-q']);
    assert.equal(stateOf(ours), before);
    assertVerified(ours);
    await pull(ours);
    assertVerified(ours);
  });

  const types = ['none-v1', 'gzip-v1', 'bzip2-v1', 'none-v2', 'gzip-v2', 'bzip2-v2', 'zstd-v2'];
  for (const type of casesOf(types, ['bzip2-v1', 'gzip-v2', 'zstd-v2'])) {
    it(`adds a bundle file: ${type}`, async () => {
      const bundle = fresh('bundle');
      hg(repository('branches'), ['bundle', '-q', '--all', '-t', type, bundle]);
      const [ours, theirs] = [fresh(), fresh()];
      for (const root of [ours, theirs]) hg(folder.path, ['init', root]);
      const summary = await engine.unbundle({ root: ours, bundle }, unattended);
      hg(theirs, ['unbundle', '-q', bundle]);
      assert.equal(stateOf(ours), stateOf(theirs));
      assert.equal(summary.format, type.endsWith('v1') ? 'changegroup 01' : 'changegroup 02');
      assertVerified(ours);
    });
  }

  for (const type of casesOf(types, ['gzip-v1', 'zstd-v2'])) {
    it(`keeps up with a busy repository by bundle files: ${type}`, async () => {
      const busy = new BusyRepository(fresh('busy'), 13);
      await bundleRounds(engine, type, { busy, ours: fresh(), theirs: fresh(), rounds: roundsOf(20, 3) });
    });
  }

  it('adds a bundle file of changegroup 03', async () => {
    const bundle = fresh('bundle');
    const experimental = ['--config', 'experimental.changegroup3=yes'];
    hg(repository('branches'), ['bundle', '-q', '--all', '-t', 'none-v2;cg.version=03', ...experimental, bundle]);
    const ours = fresh();
    hg(folder.path, ['init', ours]);
    const { format } = await engine.unbundle({ root: ours, bundle }, unattended);
    assert.equal(format, 'changegroup 03');
    assert.equal(hgText(ours, ['log', '-T', '{node}\n']), hgText(repository('branches'), ['log', '-T', '{node}\n']));
    assertVerified(ours);
  });

  it('waits for a lock that somebody holds, and says who when it takes too long', async () => {
    const ours = fresh();
    await using server = await HgServer.start(repository('branches'));
    await clone(server.url, ours);
    symlinkSync(`another-machine:4711`, join(ours, '.hg', 'store', 'lock'));
    const stop = new AbortController();
    const waited = engine.pull(
      { root: ours, settings },
      {
        ...unattended,
        signal: stop.signal,
        log: (_level, message) => message.includes('another-machine') && stop.abort(),
      },
    );
    await assert.rejects(waited, { kind: 'cancelled' });
  });

  function commit(root: string, message: string): void {
    appendFileSync(join(root, 'file'), `${message}\n`);
    hg(root, ['commit', '-qAm', message, '-d', '0 0']);
  }
});

function linesOf(root: string, name: string): string[] {
  return hgText(root, ['debugrequires']).split('\n').concat(name);
}
