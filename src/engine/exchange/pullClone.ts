import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { createRepository } from '../store/newRepository';
import type { Tasks } from '../tasks';
import { parseLocation } from '../wire/location';
import { openPeer } from '../wire/openPeer';
import { buildClone, type CloneContent } from './buildClone';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { pullFrom } from './pull';
import type { PullSummary } from './pullRequest';

/** What a new repository demands: the defaults of Mercurial 6.3. */
const usualRequirements = [
  ...['dotencode', 'fncache', 'generaldelta', 'revlog-compression-zstd', 'revlogv1'],
  ...['share-safe', 'sparserevlog', 'store'],
];

/**
 * Clones a repository by pulling everything into a new one, in the format of our choice, every text checked. The clone is
 * built beside its destination and renamed into place as the last act.
 *
 * @throws errors of every kind; afterwards the destination is as it was
 */
export async function pullClone(
  request: CloneRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneSummary> {
  const location = parseLocation(request.source);
  return buildClone(request, location.fragment, operation, workers, async (root, watched) => {
    const peer = await openPeer(location, request.settings, watched);
    try {
      return await pullInto(root, peer.address, watched, workers, () =>
        pullFrom(peer, { root, settings: request.settings, sourceName: 'default' }, watched, workers),
      );
    } finally {
      await peer.close();
    }
  });
}

/** Makes a repository in the usual format, lets `pull` bring everything into it, and counts what it came to be. */
export async function pullInto(
  root: string,
  source: string,
  operation: Operation,
  workers: WorkerPool<Tasks>,
  pull: () => Promise<PullSummary>,
): Promise<CloneContent> {
  createRepository(root, { requirements: new Set(usualRequirements), defaultPath: source });
  const { format, compression, reason, bytesOnWire, changesets, warnings } = await pull();
  const { files, bytes } = await workers.run('measureStore', { root }, operation);
  const revisions = changesets.length;
  const requirements = usualRequirements;
  return { source, format, compression, reason, requirements, files, bytes, bytesOnWire, revisions, warnings };
}
