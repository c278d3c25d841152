import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Tasks } from '../tasks';
import { cloneBundleFile } from './cloneBundleFile';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { pullClone } from './pullClone';
import { isBundleFile, locateSource } from './sources';
import { streamClone } from './streamClone';

/**
 * Clones a repository, in the way that is wished where the source has both: its store as it is, or every changeset into a
 * new store. What a bundle file holds decides for itself.
 *
 * @throws errors of every kind; afterwards the destination is as it was
 */
export async function clone(
  request: CloneRequest,
  way: 'stream' | 'pull',
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneSummary> {
  const location = locateSource(request.source);
  if (isBundleFile(location)) return await cloneBundleFile(request, location, operation, workers);
  return way === 'stream'
    ? await streamClone(request, operation, workers)
    : await pullClone(request, operation, workers);
}
