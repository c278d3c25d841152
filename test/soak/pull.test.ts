import { ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { equal } from 'node:assert/strict';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { BusyRepository } from '../fixtures/busyRepository';
import { builtEngine } from '../fixtures/engine';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { HgServer } from '../fixtures/hg';
import { hg, tryHg } from '../fixtures/hgCommand';
import { killPulls } from '../fixtures/killedPulls';
import { pullRounds } from '../fixtures/pullRounds';
import { standInForSsh } from '../fixtures/standInForSsh';
import { repository } from '../fixtures/repositories';
import { SlowProxy } from '../fixtures/slowProxy';
import { pseudoRandom } from '../fixtures/sourceHistory';

const kills = 100;
const rounds = 20;

describe('a pull', () => {
  it('keeps up with a busy repository for twenty rounds, over SSH', async () => {
    const engine = builtEngine();
    try {
      using folder = temporaryFolder('rounds');
      const place = (name: string) => join(folder.path, name.replaceAll(/\W+/g, '-'));
      const program = standInForSsh(folder.path);
      const busy = new BusyRepository(place('busy ssh'), 8);
      await pullRounds(engine, {
        busy,
        source: `ssh://somebody@example.org/${busy.root}`,
        ours: place('ours ssh'),
        theirs: place('theirs ssh'),
        rounds,
        settings: { ...defaultWireSettings, sshCommand: [program] },
        config: [`ui.ssh=${program}`],
      });
    } finally {
      await engine.dispose();
    }
  });

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
