import { asDestinationError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { Staging } from '../store/staging';
import type { Tasks } from '../tasks';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { PhaseClock } from './phaseClock';
import { updateClone, type UpdateOutcome } from './updateClone';

/** What came into the store of a new clone, and how. */
export type CloneContent = Omit<CloneSummary, 'operation' | 'destination' | 'phases' | 'update'>;

/**
 * Builds a clone beside its destination, lets `fill` make its `.hg`, fills the working copy as it was wished, and renames
 * the whole into place as the last act.
 *
 * @param branch what to check out where nothing else was wished
 * @throws what `fill` and `updateClone` throw, `destination`; afterwards the destination is as it was
 */
export async function buildClone(
  request: CloneRequest,
  branch: string | undefined,
  operation: Operation,
  workers: WorkerPool<Tasks>,
  fill: (root: string, operation: Operation) => Promise<CloneContent>,
): Promise<CloneSummary> {
  const clock = new PhaseClock();
  const watched = clock.watch(operation);
  const staging = await Staging.beside(request.destination);
  try {
    const { warnings, ...content } = await fill(staging.path, watched);
    const outcome = await updateAsWished(staging.path, request, branch, watched, workers);
    staging.commit(['.hg/requires', '.hg/store/requires']);
    return {
      operation: 'clone',
      destination: request.destination,
      ...content,
      phases: clock.phases,
      ...outcome,
      warnings: [...warnings, ...outcome.warnings],
    };
  } catch (error) {
    await staging.discard();
    throw asDestinationError(error, request.destination);
  }
}

async function updateAsWished(
  root: string,
  { update }: CloneRequest,
  branch: string | undefined,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<UpdateOutcome> {
  if (update.kind === 'none') return { warnings: [] };
  const wish = update.kind === 'revision' ? { revision: update.revision } : { branch };
  return updateClone(root, wish, operation, workers);
}
