import * as l10n from '@vscode/l10n';
import { setImmediate } from 'node:timers/promises';
import { zstdReady } from '../compression/zstdBlock';
import type { Operation, ProgressEvent } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import type { WorkerPool } from '../io/workerPool';
import { locateRepository, type RepositoryFolders } from '../store/repositoryFolders';
import type { Tasks } from '../tasks';
import { checkoutBatch, finishCheckout, planCheckout, type CheckoutPlan } from '../workingcopy/checkout';
import type { CheckedOutFiles } from '../workingcopy/checkoutBatch';
import type { Obstacle } from '../workingcopy/obstacles';
import { resolveRevision, type RevisionWish } from '../workingcopy/resolveRevision';
import type { UpdateSummary } from './cloneRequest';

/** What came of the wish to fill a working copy. */
export interface UpdateOutcome {
  /** Absent when there was nothing to check out, or something stood in the way. */
  update?: UpdateSummary;
  warnings: string[];
}

interface Located {
  repository: RepositoryFolders;
  plan: CheckoutPlan;
}

/**
 * Fills the working copy of a new clone: one worker plans, all write their shares, one makes the links and the dirstate.
 * Where the file system cannot hold the files, nothing is checked out and the outcome says why.
 *
 * @throws as `resolveRevision`, `planCheckout` and `checkoutBatch` do
 */
export async function updateClone(
  root: string,
  wish: RevisionWish,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<UpdateOutcome> {
  const located = await workers.run('planUpdate', { root, wish }, operation);
  if (located === undefined) return { warnings: [] };
  const { plan } = located;
  if (plan.obstacles.length > 0) return { warnings: obstacleWarnings(plan) };

  const files = await writeBatches(located, operation, workers);
  await workers.run('finishUpdate', { ...located, files }, operation);

  const { node, branch } = plan.revision;
  const subrepositories = plan.subrepositories.map(fromBytes);
  return {
    update: { node, branch: fromBytes(branch), files: plan.starts.length - 1, subrepositories },
    warnings: subrepositories.map((folder) => l10n.t('The subrepository {0} was not fetched.', folder)),
  };
}

/** Worker task: finds the revision and plans its checkout. */
export async function planUpdate({ root, wish }: { root: string; wish: RevisionWish }): Promise<Located | undefined> {
  await zstdReady;
  const repository = locateRepository(root);
  const revision = resolveRevision(repository, wish);
  return revision && { repository, plan: planCheckout(repository, revision) };
}

/** What the threads of a checkout share. */
interface UpdateShare extends Located {
  /** Two cells: how many batches have been taken, and how many files are written. */
  counters: Int32Array<SharedArrayBuffer>;
}

/** Worker task: writes batches, each thread the next that is left, until there are none. */
export async function writeUpdateBatches(
  { repository, plan, counters }: UpdateShare,
  context: TaskContext,
): Promise<CheckedOutFiles[]> {
  await zstdReady;
  const written: CheckedOutFiles[] = [];
  const total = plan.starts.length - 1;
  for (;;) {
    const batch = plan.batches.at(Atomics.add(counters, 0, 1));
    if (batch === undefined) return written;
    const files = await checkoutBatch(repository, plan, batch, context);
    context.transfer(files.modes.buffer, files.sizes.buffer, files.mtimes.buffer);
    written.push(files);
    const count = batch.to - batch.from;
    const done = Atomics.add(counters, 1, count) + count;
    context.progress({ type: 'phase', phase: 'checkout', state: 'running', done, total, unit: 'files' });
    // Whoever wants to stop, or to see how far it is, gets a word in.
    await setImmediate();
  }
}

/** Worker task: links and dirstate. */
export function finishUpdate({ repository, plan, files }: Located & { files: CheckedOutFiles[] }): void {
  finishCheckout(repository, plan, files);
}

async function writeBatches(
  located: Located,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CheckedOutFiles[]> {
  const total = located.plan.starts.length - 1;
  const counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const written: CheckedOutFiles[] = [];
  const report = (state: 'running' | 'done', done: number) =>
    operation.progress({ type: 'phase', phase: 'checkout', state, done, total, unit: 'files' });
  const lane: Operation = { ...operation, progress: onlyForward(operation.progress) };
  const share = async () => {
    try {
      written.push(...(await workers.run('writeUpdateBatches', { ...located, counters }, lane)));
    } catch (error) {
      // The others shall take no more.
      Atomics.store(counters, 0, located.plan.batches.length);
      throw error;
    }
  };
  report('running', 0);
  const threads = Math.min(workers.parallelism, located.plan.batches.length);
  await allSettledOrThrow(Array.from({ length: threads }, share));
  report('done', total);
  return written;
}

/** Threads count together but speak each for itself: what one says late is not passed on. */
function onlyForward(progress: Operation['progress']): Operation['progress'] {
  let most = 0;
  return (event: ProgressEvent) => {
    if (event.type === 'phase') {
      if (event.done < most) return;
      most = event.done;
    }
    progress(event);
  };
}

/** Waits for every lane before an error goes up, so that none still writes while the clone is taken away. */
async function allSettledOrThrow(lanes: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const obstacleWords = (): Record<Obstacle['kind'], string> => ({
  case: l10n.t('differs in upper and lower case alone from'),
  reserved: l10n.t('has a name that this system keeps for itself'),
  characters: l10n.t('has characters in its name that this system does not allow'),
});

function describeObstacle({ path, kind, other }: Obstacle): string {
  return `${fromBytes(path)} ${obstacleWords()[kind]}${other === undefined ? '' : ` ${fromBytes(other)}`}`;
}

function obstacleWarnings(plan: CheckoutPlan): string[] {
  const shown = plan.obstacles.slice(0, 20).map(describeObstacle);
  const more = plan.obstacles.length - shown.length;
  return [
    l10n.t('Nothing was checked out: this file system cannot hold all of the files.'),
    ...shown,
    ...(more > 0 ? [l10n.t('and {0} more', more)] : []),
  ];
}

function fromBytes(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}
