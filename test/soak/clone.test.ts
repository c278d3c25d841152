import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineError } from '../../src/engine/io/errors';
import { CloneAttempts, listing } from '../fixtures/cloneAttempts';
import { flipBits } from '../fixtures/damage';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { HgServer } from '../fixtures/hg';
import { hgText, tryHg } from '../fixtures/hgCommand';
import { repository } from '../fixtures/repositories';
import { SlowProxy } from '../fixtures/slowProxy';
import { pseudoRandom } from '../fixtures/sourceHistory';
import { storeFiles, streamServer, streamV1, streamV2 } from '../fixtures/streams';

const kills = 50;
const flips = 1000;

describe('a clone', () => {
  it(`that is killed, at any of ${kills} moments, is whole or not there, and the next one clears up`, async () => {
    using program = await DeltascopeProgram.build();
    using folder = temporaryFolder('killed');
    await using server = await HgServer.start(repository('manyFiles'));
    await using proxy = await SlowProxy.start(server.url, 600_000);
    const random = pseudoRandom(23);
    const destination = (number: number) => join(folder.path, `clone${number}`);
    let killed = 0;
    for (let number = 0; number < kills; number++) {
      const child = spawn(process.execPath, [program.script, 'clone', proxy.url, destination(number)], {
        env: program.environment,
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => child.once('close', resolve));
      await wait(50 + random() * 700);
      child.kill('SIGKILL');
      await ended;
      if (existsSync(destination(number))) {
        equal(tryHg(destination(number), ['verify', '-q']).stderr, '');
        equal(hgText(destination(number), ['status']), '');
      } else killed++;
    }
    ok(killed > kills / 3, `only ${killed} were killed in time`);
    const again = program.run('clone', server.url, join(folder.path, 'again'));
    equal(again.code, 0, again.stderr);
    deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith('.')),
      [],
    );
  });

  for (const [version, make] of [
    [1, streamV1],
    [2, streamV2],
  ] as const) {
    it(`of a stream v${version} with a bit turned over, ${flips} times, fails whole or has every byte but those`, async () => {
      await using attempts = new CloneAttempts();
      const source = storeFiles(repository('branches'));
      const bytes = source.reduce((sum, file) => sum + file.bytes.length, 0);
      const kinds = new Map<string, number>();
      for (const flipped of flipBits(make(source), flips, 31 + version)) {
        await using server = await streamServer(flipped, version);
        const parent = attempts.freshFolder();
        try {
          const summary = await attempts.clone(server.url, join(parent, 'clone'));
          equal(summary.bytes, bytes);
          count(kinds, 'cloned');
        } catch (error) {
          ok(error instanceof EngineError, String(error));
          ok(error.message.endsWith('.'), error.message);
          deepEqual(listing(parent), []);
          count(kinds, error.kind);
        }
      }
      // A stream has no checksum: what lies in texts that the checkout does not read is for `verify` to find.
      ok((kinds.get('cloned') ?? 0) < flips, JSON.stringify([...kinds]));
      deepEqual(
        [...kinds.keys()].filter((kind) => !expected.includes(kind)),
        [],
      );
    });
  }
});

const expected = ['cloned', 'corrupt', 'integrity', 'network', 'protocol', 'unsupported', 'destination'];

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
