import { equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from '../../src/engine/engine';
import { unattended } from '../../src/engine/io/operation';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { BusyRepository, stateOf } from '../fixtures/busyRepository';
import { builtEngine } from '../fixtures/engine';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { HgServer } from '../fixtures/hg';
import { hg, tryHg } from '../fixtures/hgCommand';
import { killPulls } from '../fixtures/killedPulls';
import { assertListed, assertVerified, bundleRounds, judge, pullRounds, type PullRounds } from '../fixtures/pullRounds';
import { standInForSsh } from '../fixtures/standInForSsh';
import { repository, repositoryKinds } from '../fixtures/repositories';
import { SlowProxy } from '../fixtures/slowProxy';
import { pseudoRandom } from '../fixtures/sourceHistory';

const kills = 100;
const rounds = 20;

/** How a repository is pulled from; whoever is done disposes of it. */
type Reached = Pick<PullRounds, 'source' | 'settings' | 'config'> & AsyncDisposable;

const nothingToEnd = { [Symbol.asyncDispose]: () => Promise.resolve() };
const settings = defaultWireSettings;
const waysToReach: Record<string, (root: string, folder: string) => Promise<Reached>> = {
  'by HTTP': async (root) => {
    const server = await HgServer.start(root);
    return { source: server.url, settings, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
  'by SSH': (root, folder) => {
    const program = standInForSsh(folder);
    const source = `ssh://somebody@example.org/${root}`;
    const config = [`ui.ssh=${program}`];
    return Promise.resolve({ source, settings: { ...settings, sshCommand: [program] }, config, ...nothingToEnd });
  },
  'on this machine': (root) => Promise.resolve({ source: root, settings, ...nothingToEnd }),
};

describe('a pull', () => {
  let engine: Engine;
  let folder: ReturnType<typeof temporaryFolder>;
  let count = 0;
  beforeEach(() => {
    engine = builtEngine();
    folder = temporaryFolder('rounds');
  });
  afterEach(async () => {
    await engine.dispose();
    folder[Symbol.dispose]();
  });
  const fresh = (name: string) => join(folder.path, `${name}-${count++}`);

  for (const [kind, reach] of Object.entries(waysToReach)) {
    it(`keeps up with a busy repository for ${rounds} rounds, ${kind}`, async () => {
      const busy = new BusyRepository(fresh('busy'), 8);
      await using source = await reach(busy.root, folder.path);
      await pullRounds(engine, { busy, ...source, ours: fresh('ours'), theirs: fresh('theirs'), rounds });
    });

    for (const name of repositoryKinds) {
      it(`clones ${name} as hg does, ${kind}`, async () => {
        await using at = await reach(repository(name), folder.path);
        const { source, settings, config = [] } = at;
        const [ours, theirs] = [fresh('ours'), fresh('theirs')];
        await engine.cloneByPull({ source, destination: ours, update: { kind: 'none' }, settings }, unattended);
        const configured = config.flatMap((line) => ['--config', line]);
        await judge(['clone', '-q', '-U', '--pull', ...configured, source, theirs]);
        equal(stateOf(ours), stateOf(theirs));
        assertListed(ours);
        assertVerified(ours);
      });
    }
  }

  for (const type of ['none-v1', 'gzip-v1', 'bzip2-v1', 'none-v2', 'gzip-v2', 'bzip2-v2', 'zstd-v2']) {
    it(`keeps up with a busy repository for ${rounds} rounds, by bundle files: ${type}`, async () => {
      const busy = new BusyRepository(fresh('busy'), 8);
      await bundleRounds(engine, type, { busy, ours: fresh('ours'), theirs: fresh('theirs'), rounds });
    });
  }

  it(`that is killed, at any of ${kills} moments, leaves the repository as it was, or whole`, async () => {
    using program = await DeltascopeProgram.build();
    using folder = temporaryFolder('killed-pulls');
    const busy = new BusyRepository(join(folder.path, 'busy'), 3);
    const clone = join(folder.path, 'clone');
    hg(folder.path, ['clone', '-q', '-U', '--pull', busy.root, clone]);
    for (let round = 0; round < 20; round++) busy.work();
    await using server = await HgServer.start(busy.root);
    const killed = await killPulls(program, { clone, url: server.url, times: kills, slowest: 60 });
    ok(killed.inside > kills / 4, `only ${killed.inside} were killed inside of their transaction`);
  });

  it(`that makes a clone and is killed, at any of ${kills} moments, leaves it whole or not there`, async () => {
    using program = await DeltascopeProgram.build();
    using folder = temporaryFolder('killed-pull-clones');
    await using server = await HgServer.start(repository('manyFiles'));
    await using proxy = await SlowProxy.start(server.url, 200_000);
    const random = pseudoRandom(29);
    let killed = 0;
    for (let number = 0; number < kills; number++) {
      const destination = join(folder.path, `clone${number}`);
      const child = spawn(process.execPath, [program.script, 'clone', '--pull', proxy.url, destination], {
        env: program.environment,
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => child.once('close', resolve));
      await wait(50 + random() * 1200);
      child.kill('SIGKILL');
      await ended;
      if (existsSync(destination)) equal(tryHg(destination, ['verify', '-q']).stderr, '');
      else killed++;
    }
    ok(killed > kills / 3, `only ${killed} were killed in time`);
    const again = program.run('clone', '--pull', server.url, join(folder.path, 'again'));
    equal(again.code, 0, again.stderr);
  });
});
