import { asDestinationError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Node } from '../revlog/node';
import { Staging } from '../store/staging';
import type { Tasks } from '../tasks';
import type { RevisionWish } from '../workingcopy/resolveRevision';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { PhaseClock } from './phaseClock';
import { updateClone, type UpdateOutcome } from './updateClone';

/** What came into the store of a new clone, and how. */
export type CloneContent = Omit<CloneSummary, 'operation' | 'destination' | 'phases' | 'update'> & {
  /** What to check out where nothing was wished: a node that was asked for. */
  checkout?: Node;
};

/**
 * Builds a clone beside its destination, lets `fill` make its `.hg`, fills the working copy as it was wished, and renames
 * the whole into place as the last act.
 *
 * @param branch what to check out where nothing else was wished, nor asked for
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
    const { warnings, checkout, ...content } = await fill(staging.path, watched);
    const usual = checkout === undefined ? { branch } : { revision: checkout };
    const outcome = await updateAsWished(staging.path, request, usual, watched, workers);
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
  usual: RevisionWish,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<UpdateOutcome> {
  if (update.kind === 'none') return { warnings: [] };
  const wish = update.kind === 'revision' ? { revision: update.revision } : usual;
  return updateClone(root, wish, operation, workers);
}
