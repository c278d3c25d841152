import { statSync } from 'node:fs';
import type { Operation, PhaseName } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { StoreRevlog } from '../survey/storeRevlogs';
import type { Tasks } from '../tasks';

/** What a worker is given at once, in bytes on disk. */
const bytesInShare = 2 << 20;
const mostInShare = 256;

/** A revlog, and the bytes that it takes on disk now. */
export interface SizedRevlog extends StoreRevlog {
  bytes: number;
}

/**
 * Revlogs that take more, in bytes on disk, are not replaced. One with a chunks' file goes through a form with its chunks in
 * the index for a moment, which hg reads into memory as a whole.
 */
export const largestReplaced = 2 ** 31 - 1;

/** A revlog with its size. @throws the file system's own error */
export function sized(revlog: StoreRevlog): SizedRevlog {
  const chunks = statSync(revlog.chunkPath, { throwIfNoEntry: false })?.size ?? 0;
  return { ...revlog, bytes: statSync(revlog.path).size + chunks };
}

/** Divides revlogs into shares for workers: the largest first and each by itself, small ones together. */
export function inShares(revlogs: readonly SizedRevlog[]): SizedRevlog[][] {
  const shares: SizedRevlog[][] = [];
  let last: SizedRevlog[] = [];
  let room = 0;
  for (const revlog of [...revlogs].sort((one, other) => other.bytes - one.bytes)) {
    if (last.length === 0 || revlog.bytes > room || last.length === mostInShare) {
      shares.push((last = []));
      room = bytesInShare;
    }
    last.push(revlog);
    room -= revlog.bytes;
  }
  return shares;
}

/**
 * Has every share worked on, as many at a time as there are cores, and reports how many bytes of all have been. Results
 * come in the order of the shares. The first failure stops the others.
 */
export async function workOnShares<Result>(
  shares: readonly SizedRevlog[][],
  phase: PhaseName,
  operation: Operation,
  workers: WorkerPool<Tasks>,
  work: (share: SizedRevlog[], quiet: Operation) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const done = shares.map(() => 0);
  const total = shares.flat().reduce((sum, { bytes }) => sum + bytes, 0);
  const stop = new AbortController();
  const signal = AbortSignal.any([operation.signal, stop.signal]);
  const report = (state: 'running' | 'done') =>
    operation.progress({ type: 'phase', phase, state, done: done.reduce((a, b) => a + b, 0), total, unit: 'bytes' });
  let next = 0;
  const one = async () => {
    while (next < shares.length) {
      const at = next++;
      const quiet: Operation = {
        signal,
        log: operation.log,
        progress: (event) => {
          if (event.type !== 'phase') return;
          done[at] = event.done;
          report('running');
        },
      };
      results[at] = await work(shares[at], quiet);
      done[at] = shares[at].reduce((sum, { bytes }) => sum + bytes, 0);
      report('running');
    }
  };
  const failures: unknown[] = [];
  const guarded = () =>
    one().catch((error: unknown) => {
      // What comes after is only that the others were stopped.
      failures.push(error);
      stop.abort();
    });
  await Promise.all(Array.from({ length: Math.min(workers.parallelism, shares.length) }, guarded));
  if (failures.length > 0) throw failures[0] as Error;
  report('done');
  return results;
}
