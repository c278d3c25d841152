import { deepEqual, equal, rejects } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkerPool } from '../../../src/engine/io/workerPool';
import { unattended } from '../../../src/engine/io/operation';
import { cancellable } from '../../fixtures/facing';
import { temporaryFolder } from '../../fixtures/gitRepository';

type Sleeping = Record<'sleep', (milliseconds: number) => Promise<number>>;

/** A worker whose only task takes as long as it is told to. */
const script = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', (message) => {
  if (message.type === 'run') setTimeout(() => parentPort.postMessage({ type: 'result', value: message.args }), message.args);
});
`;

describe('a pool of workers', () => {
  const folder = temporaryFolder('pool');
  let pool: WorkerPool<Sleeping>;
  before(() => writeFileSync(join(folder.path, 'worker.js'), script));
  beforeEach(() => {
    pool = new WorkerPool<Sleeping>(join(folder.path, 'worker.js'), { limit: 1 });
  });
  afterEach(() => pool.dispose());
  after(() => folder[Symbol.dispose]());

  it('takes one task at a time for each thread, in the order in which they came', async () => {
    const ended: number[] = [];
    const run = async (milliseconds: number) => ended.push(await pool.run('sleep', milliseconds, unattended));
    await Promise.all([run(60), run(20), run(1)]);
    deepEqual(ended, [60, 20, 1]);
  });

  it('gives the thread to the next in line when the one before has been cancelled', async () => {
    const first = pool.run('sleep', 200, unattended);
    const operation = cancellable();
    const second = pool.run('sleep', 1, operation);
    const third = pool.run('sleep', 2, unattended);
    operation.cancel();
    await rejects(second, { kind: 'cancelled' });
    const [, result] = await Promise.all([first, Promise.race([third, wait(2000, 'still waiting')])]);
    equal(result, 2);
  });

  it('starts one more for a task that another one waits for', async () => {
    const waiting = pool.run('sleep', 500, unattended).then(() => 'waiting');
    const awaited = pool.run('sleep', 1, unattended, undefined, [], true).then(() => 'awaited');
    equal(await Promise.race([waiting, awaited]), 'awaited');
    await waiting;
  });

  it('leaves its threads to the others while tasks that are waited for run', async () => {
    const awaited = pool.run('sleep', 500, unattended, undefined, [], true).then(() => 'awaited');
    const other = pool.run('sleep', 1, unattended).then(() => 'other');
    equal(await Promise.race([awaited, other]), 'other');
    await awaited;
  });
});
