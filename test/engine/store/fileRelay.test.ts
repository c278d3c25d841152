import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { FileRelay, writeRelayedFiles } from '../../../src/engine/store/fileRelay';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { pseudoRandom, randomBytesOf } from '../../fixtures/sourceHistory';

/** A relay, and the task at its other end, writing to a folder. */
function relayTo(folder: string, signal = unattended.signal) {
  const { port1, port2 } = new MessageChannel();
  return { relay: new FileRelay(port1), task: writeRelayedFiles({ folder, port: port2 }, { ...unattended, signal }) };
}

const isKind = (kind: string) => (error: unknown) => error instanceof EngineError && error.kind === kind;

describe('sharing the writing of files with another thread', () => {
  it('writes what it took, byte for byte, and leaves the rest to whoever offered', async () => {
    using folder = temporaryFolder('relay');
    mkdirSync(join(folder.path, 'sub'));
    const { relay, task } = relayTo(folder.path);
    const random = pseudoRandom(7);
    const taken = new Map<string, Uint8Array>();
    let refused = 0;
    for (let number = 0; number < 1000; number++) {
      const bytes = randomBytesOf(Math.floor(random() ** 3 * 30_000), number + 1);
      const name = number % 2 === 0 ? `file${number}` : `sub/file${number}`;
      if (relay.offer(name, bytes)) taken.set(name, bytes);
      else refused++;
      if (number % 40 === 0) await setImmediate();
    }
    await relay.finish();
    relay[Symbol.dispose]();
    await task;
    const written = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'sub');
    deepEqual(written.sort(), [...taken.keys()].sort());
    for (const [name, bytes] of taken) ok(readFileSync(join(folder.path, name)).equals(bytes), name);
    ok(taken.size > 100 && refused > 100, `${taken.size} taken, ${refused} refused`);
  });

  it('takes no more than a few slabs while the other thread does nothing', () => {
    const { port1, port2 } = new MessageChannel();
    using relay = new FileRelay(port1);
    let bytes = 0;
    while (relay.offer(`file${bytes}`, new Uint8Array(1000))) bytes += 1000;
    ok(bytes > 200_000 && bytes < 300_000, `${bytes}`);
    port2.close();
  });

  it('tells whoever offers or finishes that a file came twice', async () => {
    using folder = temporaryFolder('relay');
    const { relay, task } = relayTo(folder.path);
    for (const name of ['one', 'two', 'one']) equal(relay.offer(name, Buffer.from(name)), true);
    await rejects(relay.finish(), isKind('protocol'));
    relay[Symbol.dispose]();
    await task;
  });

  it('tells that the disk did not take a file', async () => {
    using folder = temporaryFolder('relay');
    const { relay, task } = relayTo(join(folder.path, 'one'));
    relay.offer('x'.repeat(300), new Uint8Array(1));
    await rejects(
      relay.finish(),
      (error) => isKind('destination')(error) || (error as { code?: string }).code === 'ENOENT',
    );
    relay[Symbol.dispose]();
    await task;
  });

  it('does not wait for a thread that has gone', async () => {
    const { port1, port2 } = new MessageChannel();
    using relay = new FileRelay(port1);
    relay.offer('file', new Uint8Array(1));
    port2.close();
    await rejects(relay.finish(), isKind('protocol'));
  });

  it('ends when it is cancelled, and says so to the other end', async () => {
    using folder = temporaryFolder('relay');
    const stop = new AbortController();
    const { relay, task } = relayTo(folder.path, stop.signal);
    relay.offer('file', new Uint8Array(1));
    stop.abort();
    await rejects(relay.finish(), isKind('cancelled'));
    relay[Symbol.dispose]();
    await task;
  });
});
