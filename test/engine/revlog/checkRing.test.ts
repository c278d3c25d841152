import { equal, ok, throws } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { WorkerPool } from '../../../src/engine/io/workerPool';
import { CheckRing, newCheckMemory } from '../../../src/engine/revlog/checkRing';
import { nullNode, nullRev, type Node } from '../../../src/engine/revlog/node';
import { hashText } from '../../../src/engine/revlog/nodeOfText';
import { RevlogWriter } from '../../../src/engine/revlog/revlogWriter';
import type { DeltaSettings } from '../../../src/engine/revlog/policy/deltaSettings';
import type { Tasks } from '../../../src/engine/tasks';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { randomBytesOf } from '../../fixtures/sourceHistory';
import { builtWorker } from '../../fixtures/engine';

const textOf = (seed: number) => Buffer.from(randomBytesOf(100_000 + seed, seed + 1));
const nodeOf = (text: Uint8Array) => hashText(nullNode, nullNode, text);
const settings: DeltaSettings = {
  isGeneraldelta: true,
  isSparse: true,
  bothParents: true,
  comparesWhole: true,
  maxChainLength: 1000,
  maxChainRatio: 2,
  engine: 'none',
  reuse: 'judge',
};
const nowhere = 'ab'.repeat(20) as Node;

/** Runs something beside a thread that checks what is put into the ring. */
async function beside(run: (ring: CheckRing, workers: WorkerPool<Tasks>) => Promise<void> | void): Promise<void> {
  const workers = new WorkerPool<Tasks>(builtWorker);
  const memory = newCheckMemory();
  const ring = new CheckRing(memory);
  const checking = workers.run('checkTextsInRing', memory, unattended).catch(() => undefined);
  try {
    // A text that is taken says that the other thread is there.
    while (!ring.offer(nodeOf(textOf(0)), nullNode, nullNode, textOf(0))) await wait(5);
    await run(ring, workers);
  } finally {
    ring.dismiss();
    await checking;
    await workers.dispose();
  }
}

describe('checking long texts in another thread', () => {
  it('takes none while no thread is there', () => {
    const ring = new CheckRing(newCheckMemory());
    equal(ring.offer(nodeOf(textOf(0)), nullNode, nullNode, textOf(0)), false);
    equal(ring.settle(), undefined);
  });

  it('takes long ones while there is room, and finds them sound', () =>
    beside((ring) => {
      let taken = 0;
      for (let seed = 0; seed < 200; seed++) {
        const text = textOf(seed);
        if (ring.offer(nodeOf(text), nullNode, nullNode, text)) taken++;
      }
      ok(taken > 5, `${taken} were taken`);
      equal(ring.offer(nodeOf(Buffer.from('short')), nullNode, nullNode, Buffer.from('short')), false);
      const long = Buffer.alloc(4 << 20);
      equal(ring.offer(nodeOf(long), nullNode, nullNode, long), false);
      equal(ring.settle(), undefined);
    }));

  it('knows the order of parents', () =>
    beside((ring) => {
      const [one, other] = ['11'.repeat(20), 'ee'.repeat(20)] as Node[];
      const text = textOf(3);
      const node = hashText(one, other, text);
      equal(ring.offer(node, one, other, text), true);
      equal(ring.offer(node, other, one, text), true);
      equal(ring.settle(), undefined);
    }));

  it('names one that is not what its node stands for, whoever looked at it', () =>
    beside((ring) => {
      equal(ring.offer(nowhere, nullNode, nullNode, textOf(1)), true);
      equal(ring.settle(), nowhere);
      equal(ring.wrong, nowhere);
    }));

  it('is finished by the one that has the texts, when the other thread dies', () =>
    beside(async (ring, workers) => {
      const texts = [1, 2, 3, 4].map((seed) => Buffer.from(randomBytesOf(2_000_000, seed)));
      for (const text of texts) ring.offer(nodeOf(text), nullNode, nullNode, text);
      await workers.dispose();
      ring.dismiss();
      equal(ring.settle(), undefined);
      equal(ring.offer(nodeOf(texts[0]), nullNode, nullNode, texts[0]), false);
    }));

  it('keeps a writer from ending with a wrong text', () =>
    beside((ring) => {
      using folder = temporaryFolder('ring');
      const paths = { index: join(folder.path, 'x.i'), chunks: join(folder.path, 'x.d') };
      using writer = RevlogWriter.open(paths, settings, {}, ring);
      const isWrong = (error: unknown) =>
        error instanceof EngineError && error.kind === 'integrity' && error.subject === nowhere;
      throws(() => {
        writer.addRevision({ node: nowhere, p1: nullRev, p2: nullRev, linkrev: 0, text: textOf(1) });
        writer.close();
      }, isWrong);
    }));
});
