import type { Operation, ProgressEvent } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Tasks } from '../tasks';
import { VerifyFaults, type VerifyFault } from './verifyFault';
import type { ExpectedHistory } from './verifyHistory';

/** What a check of a repository found. */
export interface VerifySummary {
  operation: 'verify';
  root: string;
  changesets: number;
  manifests: number;
  files: number;
  fileRevisions: number;
  /** The first faults; `faultCount` are there in all. */
  faults: VerifyFault[];
  faultCount: number;
}

/**
 * Checks a repository: that every text is what its node stands for, and that changesets, manifests and files refer to what
 * is there. Files are checked by several threads. Nothing is written, and nothing is locked: what a writer adds meanwhile
 * may be taken for a fault.
 *
 * @throws `unsupported` for repositories that cannot be read, `destination` when there is none, `cancelled`
 */
export async function verifyRepository(
  root: string,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<VerifySummary> {
  const history = await workers.run('verifyHistory', { root }, operation);
  const { changesets, manifests } = history;
  const faults = new VerifyFaults();
  faults.addAll(history);
  const shares = deal(history.files, workers.parallelism);
  const progress = summed(operation.progress, history.files.length, shares.length);
  const results = await Promise.all(
    shares.map((files, lane) =>
      workers.run('verifyFiles', { root, files, changesets }, { ...operation, progress: progress(lane) }),
    ),
  );
  for (const result of results) faults.addAll(result);
  const fileRevisions = results.reduce((sum, { revisions }) => sum + revisions, 0);
  const { told, count } = faults;
  return {
    operation: 'verify',
    root,
    changesets,
    manifests,
    files: history.files.length,
    fileRevisions,
    faults: told,
    faultCount: count,
  };
}

/** Deals the files out, those with many revisions first, so that no thread is left with all of them. */
function deal(files: readonly ExpectedHistory[], threads: number): ExpectedHistory[][] {
  const bySize = [...files].sort((a, b) => b.nodes.length - a.nodes.length);
  const shares: ExpectedHistory[][] = Array.from({ length: Math.max(1, threads) }, () => []);
  bySize.forEach((file, at) => shares[at % shares.length].push(file));
  return shares.filter((share) => share.length > 0);
}

/** One progress for all threads. */
function summed(progress: Operation['progress'], total: number, lanes: number) {
  const done = new Array<number>(lanes).fill(0);
  const ended = new Set<number>();
  return (lane: number) => (event: ProgressEvent) => {
    if (event.type !== 'phase') {
      progress(event);
      return;
    }
    done[lane] = event.done;
    if (event.state === 'done') ended.add(lane);
    const state = ended.size === lanes ? 'done' : 'running';
    progress({ ...event, state, done: done.reduce((sum, count) => sum + count, 0), total });
  };
}
