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
  const faults = new VerifyFaults();
  const { changesets, manifests, files } = await verifyHistory(root, faults, operation, workers);
  const shares = deal(files, workers.parallelism);
  const progress = summed(operation.progress, shares.length, files.length);
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
    files: files.length,
    fileRevisions,
    faults: told,
    faultCount: count,
  };
}

/** Checks the changelog, and the manifests by several threads; gives the histories of files that there have to be. */
async function verifyHistory(
  root: string,
  faults: VerifyFaults,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<{ changesets: number; manifests: number; files: ExpectedHistory[] }> {
  const shares = workers.parallelism;
  const progress = summed(operation.progress, shares);
  const [changelog, ...manifests] = await Promise.all([
    workers.run('verifyChangelog', { root }, operation),
    ...Array.from({ length: shares }, (_, share) =>
      workers.run('verifyManifests', { root, share, shares }, { ...operation, progress: progress(share) }),
    ),
  ]);
  const nodes = new Map<string, string>();
  faults.addAll(changelog);
  for (const found of manifests) {
    faults.addAll(found);
    for (const named of found.named) nodes.set(named.path, (nodes.get(named.path) ?? '') + named.nodes);
  }
  for (const path of changelog.listed) if (!nodes.has(path)) nodes.set(path, '');
  const files = [...nodes].map(([path, named]) => ({ path, nodes: named }));
  return { changesets: changelog.changesets, manifests: changelog.manifests, files };
}

/** Deals the files out, those with many revisions first, so that no thread is left with all of them. */
function deal(files: readonly ExpectedHistory[], threads: number): ExpectedHistory[][] {
  const bySize = [...files].sort((a, b) => b.nodes.length - a.nodes.length);
  const shares: ExpectedHistory[][] = Array.from({ length: Math.max(1, threads) }, () => []);
  bySize.forEach((file, at) => shares[at % shares.length].push(file));
  return shares.filter((share) => share.length > 0);
}

/** One progress for all threads; the total is the sum of theirs where it is not known. */
function summed(progress: Operation['progress'], lanes: number, total?: number) {
  const done = new Array<number>(lanes).fill(0);
  const totals = new Array<number>(lanes).fill(0);
  const ended = new Set<number>();
  const sum = (counts: readonly number[]) => counts.reduce((before, count) => before + count, 0);
  return (lane: number) => (event: ProgressEvent) => {
    if (event.type !== 'phase') {
      progress(event);
      return;
    }
    done[lane] = event.done;
    totals[lane] = event.total ?? 0;
    if (event.state === 'done') ended.add(lane);
    const state = ended.size === lanes ? 'done' : 'running';
    progress({ ...event, state, done: sum(done), total: total ?? sum(totals) });
  };
}
