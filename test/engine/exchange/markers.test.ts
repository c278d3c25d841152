import assert from 'node:assert/strict';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { stateOf } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { HgServer, runHg } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';

const evolving = ['--config', 'experimental.evolution=all'];
const ignoring = ['--config', 'censor.policy=ignore'];
const settings = defaultWireSettings;

describe('what was rewritten and what was taken away', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('rewritten');
  const hgrcPath = process.env.HGRCPATH;
  let engine: Engine;
  let count = 0;
  before(() => {
    // Threads see the environment as it was when they were started.
    process.env.HGRCPATH = join(folder.path, 'hgrc');
    engine = builtEngine();
  });
  afterEach(() => writeFileSync(join(folder.path, 'hgrc'), ''));
  after(async () => {
    if (hgrcPath === undefined) delete process.env.HGRCPATH;
    else process.env.HGRCPATH = hgrcPath;
    await engine.dispose();
    folder[Symbol.dispose]();
  });

  const fresh = (name: string) => join(folder.path, `${name}${count++}`);
  const evolve = (text = '[experimental]\nevolution = all\n') => writeFileSync(join(folder.path, 'hgrc'), text);
  const commit = (root: string, message: string, file = 'file') => {
    appendFileSync(join(root, file), `${message}\n`);
    hg(root, ['commit', '-qAm', message, '-d', '0 0']);
  };
  /** Something amended twice, and something pruned. */
  const rewrite = (root: string, name: string) => {
    commit(root, name, name);
    for (const word of ['better', 'best'])
      hg(root, [...evolving, 'commit', '-q', '--amend', '-m', `${name}, ${word}`, '-d', '0 0']);
    commit(root, `${name} in vain`, name);
    const node = hgText(root, ['log', '-r', '.', '-T', '{node}']);
    hg(root, ['update', '-q', '.^']);
    hg(root, [...evolving, 'debugobsolete', '--record-parents', node, '-d', '0 0']);
  };
  const newSource = () => {
    const source = fresh('source');
    hg(folder.path, ['init', source]);
    writeFileSync(join(source, '.hg', 'hgrc'), '[phases]\npublish = no\n[experimental]\nevolution = all\n');
    commit(source, 'first');
    rewrite(source, 'work');
    return source;
  };
  const censored = () => {
    const source = fresh('source');
    hg(folder.path, ['init', source]);
    for (const message of ['first', 'secret', 'third']) commit(source, message);
    hg(source, ['--config', 'extensions.censor=', 'censor', '-r', '1', '-t', 'gone', 'file']);
    return source;
  };
  const clone = async (source: string) => {
    const destination = fresh('ours');
    await engine.cloneByPull({ source, destination, update: { kind: 'none' }, settings }, unattended);
    return destination;
  };
  const judgeClone = async (source: string, options: readonly string[] = evolving) => {
    const destination = fresh('theirs');
    const { code, stderr } = await runHg(['clone', '-q', '-U', '--pull', ...options, source, destination]);
    assert.equal(code, 0, stderr);
    return destination;
  };
  const markersOf = (root: string) =>
    hgText(root, [...evolving, 'debugobsolete'])
      .split('\n')
      .sort();

  const ways: Record<string, (source: string) => Promise<{ address: string } & AsyncDisposable>> = {
    'hg serve': async (source) => {
      const server = await HgServer.start(source, { config: ['experimental.evolution=all', 'phases.publish=no'] });
      return { address: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
    'our own server': async (source) => {
      const server = await engine.serve({ repositories: [{ root: source }] }, unattended);
      return { address: server.repositories[0].address, [Symbol.asyncDispose]: () => server.close() };
    },
    'a path of this machine': (source) =>
      Promise.resolve({ address: source, [Symbol.asyncDispose]: () => Promise.resolve() }),
  };
  for (const [way, reach] of Object.entries(ways)) {
    it(`markers come from ${way} as they come to hg`, async () => {
      evolve();
      const source = newSource();
      await using reached = await reach(source);
      const [ours, theirs] = [await clone(reached.address), await judgeClone(reached.address)];
      assert.deepEqual(markersOf(ours), markersOf(theirs));
      assert.equal(markersOf(ours).length, 3);
      rewrite(source, 'more work');
      await engine.pull({ root: ours, settings }, unattended);
      const { code, stderr } = await runHg(['-R', theirs, 'pull', '-q', ...evolving]);
      assert.equal(code, 0, stderr);
      assert.deepEqual(markersOf(ours), markersOf(theirs));
      assert.equal(stateOf(ours), stateOf(theirs));
      assert.equal(hgText(ours, [...evolving, 'verify', '-q']), '');
    });
  }

  it('markers come only where somebody turned them on, as to hg', async () => {
    const source = newSource();
    const words = [
      ...['evolution = all', 'evolution = createmarkers exchange', 'evolution = createmarkers, exchange'],
      ...[
        'evolution = yes',
        'evolution = exchange',
        'evolution = createmarkers',
        'evolution = ',
        'evolution.exchange = 1',
      ],
      ...['evolution.createmarkers = yes\nevolution.exchange = yes', 'evolution = all\nevolution.exchange = no'],
    ];
    await using server = await HgServer.start(source, { config: ['experimental.evolution=all'] });
    for (const lines of words) {
      evolve(`[experimental]\n${lines}\n`);
      const ours = await clone(server.url);
      const options = lines.split('\n').flatMap((line) => ['--config', `experimental.${line.replace(' = ', '=')}`]);
      const theirs = await judgeClone(server.url, options);
      const [here, there] = [ours, theirs].map((root) => existsSync(join(root, '.hg', 'store', 'obsstore')));
      assert.equal(here, there, lines);
    }
  });

  // Of version 1, not even hg can read what it writes here.
  it('a censored file comes in a bundle file', async () => {
    const source = censored();
    const [bundle, ours, theirs] = [fresh('bundle'), fresh('ours'), fresh('theirs')];
    hg(source, ['bundle', '-q', '--all', '-t', 'none-v2', bundle]);
    for (const root of [ours, theirs]) hg(folder.path, ['init', root]);
    await engine.unbundle({ root: ours, bundle }, unattended);
    hg(theirs, ['unbundle', '-q', bundle]);
    assert.equal(stateOf(ours), stateOf(theirs));
    const index = ['debugindex', 'file', '-T', '{rev} {node} {flags}\n'];
    assert.equal(hgText(ours, index), hgText(theirs, index));
    assert.equal(hgText(ours, [...ignoring, 'verify', '-q']), '');
  });

  for (const [way, reach] of Object.entries(ways)) {
    it(`a censored file comes from ${way} as it comes to hg`, async () => {
      const source = censored();
      await using reached = await reach(source);
      const ours = await clone(reached.address);
      const theirs = await judgeClone(reached.address, []);
      assert.equal(stateOf(ours), stateOf(theirs));
      for (const rev of ['0', '1', '2']) {
        const [here, there] = [ours, theirs].map((root) => hgText(root, [...ignoring, 'cat', '-r', rev, 'file']));
        assert.equal(here, there, `revision ${rev}`);
      }
      assert.equal(hgText(ours, [...ignoring, 'verify', '-q']), hgText(theirs, [...ignoring, 'verify', '-q']));
      commit(source, 'fourth');
      await engine.pull({ root: ours, settings }, unattended);
      assert.match(hgText(ours, ['cat', '-r', 'tip', 'file']), /third\nfourth$/);
    });
  }
});
