import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { BusyRepository, stateOf } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { cancellable, fails } from '../../fixtures/facing';
import { runHg, temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';
import { casesOf, roundsOf } from '../../fixtures/howMuch';
import { assertListed, assertVerified, judge, pullRounds } from '../../fixtures/pullRounds';
import { repository, repositoryKinds } from '../../fixtures/repositories';
import { storeFiles } from '../../fixtures/repositoryState';

describe('a repository of this machine', function () {
  this.timeout(180_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let count = 0;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('local-peer');
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const settings = defaultWireSettings;
  const fresh = (name = 'clone') => join(folder.path, `${name}-${count++}`);
  const requestFor = (source: string, destination: string) =>
    ({ source, destination, update: { kind: 'none' }, settings }) as const;
  const clone = (source: string, destination = fresh(), operation = unattended) =>
    engine.cloneByPull(requestFor(source, destination), operation).then(() => destination);
  const pull = (root: string, source?: string, revisions?: string[]) =>
    engine.pull({ root, source, revisions, settings }, unattended);
  const newRepository = (name: string) => {
    const root = fresh(name);
    hg(folder.path, ['init', root]);
    return root;
  };
  const commit = (root: string, message: string) => {
    appendFileSync(join(root, 'file'), `${message}\n`);
    hg(root, ['commit', '-qAm', message, '-d', '0 0']);
  };

  const namesIn = (root: string) => readdirSync(join(root, '.hg'), { recursive: true, encoding: 'utf8' });

  const smallKinds = repositoryKinds.filter((kind) => kind !== 'sizes' && kind !== 'manyFiles');
  for (const kind of casesOf(repositoryKinds, smallKinds)) {
    it(`is cloned by pull as hg does: ${kind}`, async () => {
      const theirs = fresh('theirs');
      const ours = await clone(repository(kind));
      await judge(['clone', '-q', '-U', '--pull', repository(kind), theirs]);
      assert.equal(stateOf(ours), stateOf(theirs));
      assert.equal(hgText(ours, ['paths']), hgText(theirs, ['paths']));
      assertListed(ours);
      assertVerified(ours);
    });
  }

  it('is cloned as a stream too', async () => {
    const [ours, theirs] = [fresh(), fresh('theirs')];
    const summary = await engine.clone(requestFor(repository('branches'), ours), unattended);
    await judge(['clone', '-q', '-U', '--pull', repository('branches'), theirs]);
    assert.equal(summary.format, 'stream v2');
    assert.equal(stateOf(ours), stateOf(theirs));
    assertVerified(ours);
  });

  it('is followed while somebody works in it', async () => {
    const busy = new BusyRepository(fresh('busy'), 12);
    const places = { source: busy.root, ours: fresh(), theirs: fresh('theirs') };
    await pullRounds(engine, { busy, ...places, rounds: roundsOf(20, 4), settings });
  });

  it('keeps its secrets, and what was rewritten', async () => {
    const source = newRepository('secrets');
    const evolving = ['--config', 'experimental.evolution=all'];
    for (const message of ['public', 'draft', 'secret']) commit(source, message);
    hg(source, ['phase', '--secret', '--force', '-r', '2']);
    hg(source, ['bookmark', '-r', '2', 'hidden']);
    hg(source, ['update', '-q', '1']);
    hg(source, ['commit', '-q', '--amend', '-m', 'secret no more', ...evolving]);
    const ours = await clone(source);
    const theirs = fresh('theirs');
    await judge(['clone', '-q', '-U', '--pull', source, theirs]);
    assert.equal(stateOf(ours), stateOf(theirs));
    assert.doesNotMatch(stateOf(ours), /hidden/);
    const streamed = engine.clone(requestFor(source, fresh()), unattended);
    await fails(streamed, { kind: 'unsupported', message: /does not offer stream clones/ });
  });

  for (const publish of ['yes', 'no']) {
    it(`gives its phases on, with phases.publish=${publish}`, async () => {
      const source = newRepository('phases');
      writeFileSync(join(source, '.hg', 'hgrc'), `[phases]\npublish = ${publish}\n`);
      commit(source, 'first');
      const clones = [await clone(source), fresh('theirs')];
      await judge(['clone', '-q', '-U', '--pull', source, clones[1]]);
      commit(source, 'second');
      hg(source, ['phase', '--public', '-r', '0']);
      await pull(clones[0]);
      await judge(['-R', clones[1], 'pull', '-q']);
      assert.equal(stateOf(clones[0]), stateOf(clones[1]));
      const phases = hgText(clones[0], ['log', '-T', '{phase} ']);
      assert.equal(phases, publish === 'yes' ? 'public public ' : 'draft public ');
    });
  }

  it('is pulled from by the name of a bookmark, with what it descends from', async () => {
    const [ours, theirs] = [newRepository('ours'), newRepository('theirs')];
    await pull(ours, repository('branches'), ['bookmark é']);
    await judge(['-R', theirs, 'pull', '-q', '-B', 'bookmark é', repository('branches')]);
    const log = ['log', '-T', '{node} {phase}\n'];
    assert.equal(hgText(ours, log), hgText(theirs, log));
  });

  it('may be one of ours, and hg goes on in both directions', async () => {
    const source = await clone(repository('branches'));
    const ours = await clone(source);
    assert.equal(hgText(ours, ['log', '-T', '{node}\n']), hgText(repository('branches'), ['log', '-T', '{node}\n']));
    hg(ours, ['update', '-q', 'default']);
    commit(ours, 'on top');
    hg(ours, ['push', '-q']);
    const theirs = fresh('theirs');
    await judge(['clone', '-q', ours, theirs]);
    for (const root of [source, theirs]) {
      assert.equal(hgText(root, ['log', '-r', 'tip', '-T', '{desc} {phase}']), 'on top public');
      assertVerified(root);
    }
  });

  it('tells what is new there, by a relative path of the repository that asks', async () => {
    const source = newRepository('source');
    commit(source, 'first');
    const ours = await clone(source);
    writeFileSync(join(ours, '.hg', 'hgrc'), `[paths]\ndefault = ../${source.slice(folder.path.length + 1)}\n`);
    commit(source, 'second');
    const { changesets } = await engine.incoming({ root: ours, settings }, unattended);
    assert.deepEqual(
      changesets.map(({ node }) => node),
      [hgText(source, ['log', '-r', 'tip', '-T', '{node}'])],
    );
    assert.equal((await pull(ours)).changesets.length, 1);
    assert.deepEqual((await engine.incoming({ root: ours, settings }, unattended)).changesets, []);
  });

  it('is read while hg commits to it: what came is whole each time', async () => {
    const source = newRepository('written');
    commit(source, 'first');
    const ours = await clone(source);
    const command = 'for n in 1 2 3 4 5 6 7 8; do echo $n >> file; hg commit -qm $n || exit 1; done';
    const script = join(folder.path, 'commits.sh');
    writeFileSync(script, `cd '${source}'\n${command}\n`);
    let isOver = false;
    const committing = runHg(['--config', `alias.commits=!sh '${script}'`, 'commits']).finally(() => (isOver = true));
    let pulls = 0;
    for (; !hasEnded(); pulls++) await pull(ours);
    const { code, stderr } = await committing;
    assert.equal(code, 0, stderr);
    await pull(ours);
    assert.ok(pulls > 1);
    assert.equal(hgText(ours, ['log', '-T', '{node}\n']), hgText(source, ['log', '-T', '{node}\n']));
    assertVerified(ours);

    function hasEnded(): boolean {
      return isOver;
    }
  });

  it('is not written to', async () => {
    const source = fresh('source');
    hg(folder.path, ['clone', '-q', '-U', '--pull', repository('branches'), source]);
    const before = storeFiles(source);
    const names = namesIn(source);
    await clone(source);
    await pull(source, source);
    assert.deepEqual(storeFiles(source), before);
    assert.deepEqual(
      namesIn(source).filter((name) => !names.includes(name)),
      [],
    );
  });

  it('can be pulled from more often at a time than there are threads for tasks', async () => {
    const clones = await Promise.all(
      Array.from({ length: 6 }, () => clone(repository('branches'), fresh(), cancellable())),
    );
    for (const root of clones) assert.equal(stateOf(root), stateOf(clones[0]));
  });

  it('can be let go while it is read', async () => {
    const operation = cancellable();
    const destination = fresh();
    const cloning = engine.cloneByPull(requestFor(repository('sizes'), destination), {
      ...operation,
      progress: (event) => event.type === 'phase' && event.phase === 'transfer' && operation.cancel(),
    });
    await fails(cloning, { kind: 'cancelled', message: /./ });
    assert.ok(!readdirSync(folder.path).some((name) => name.includes(destination.slice(folder.path.length + 1))));
  });

  it('that is none is refused, in words', async () => {
    const none = fresh('none');
    mkdirSync(none);
    await fails(clone(none), { kind: 'destination', message: /no Mercurial repository at .*none/ });
    await fails(clone(`${none}/nowhere`), { kind: 'protocol', message: /not the address/, advice: /path/ });
    const foreign = newRepository('foreign');
    appendFileSync(join(foreign, '.hg', 'requires'), 'not-of-this-world\n');
    await fails(clone(foreign), { kind: 'unsupported', message: /not-of-this-world/ });
  });
});
