import { selectRevlogs, type RevlogSelection } from '../compare/compareStore';
import type { PolicyName } from '../compare/policies';
import { sized, type SizedRevlog } from '../compare/shares';
import type { Operation } from '../io/operation';
import { repositoryAt } from '../survey/surveyRepository';
import { confirmOptimize, finishOptimize, swapRevlogs, undoOptimize } from './optimizeStore';
import type { Rewritten } from './rewriteTask';

/** How an optimisation comes to its end: the old store deleted, brought back, or what was broken off gone on with. */
export type OptimizeEnd = 'confirm' | 'undo' | 'finish';

/** The task that lists the revlogs that are meant, with their sizes: a store may have half a million files. */
export function listRevlogsToStore(
  { folder, selection }: { folder: string; selection: RevlogSelection },
  operation: Operation,
): SizedRevlog[] {
  return selectRevlogs(repositoryAt(folder), selection, operation).map(sized);
}

/** The task that puts what was written in place, under a lock that the caller holds. @throws as `swapRevlogs` */
export function swapRevlogsIn(
  request: { folder: string; policy: PolicyName; revlogs: SizedRevlog[]; written: Rewritten[] },
  operation: Operation,
): number {
  return swapRevlogs(request, operation);
}

/** The task that ends an optimisation. @throws as the functions that do it */
export async function endOptimize(
  { folder, end }: { folder: string; end: OptimizeEnd },
  operation: Operation,
): Promise<void> {
  if (end === 'confirm') await confirmOptimize(folder, operation);
  else if (end === 'undo') await undoOptimize(folder, operation);
  else await finishOptimize(folder, operation);
}
