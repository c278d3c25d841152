import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { createRepository } from '../store/newRepository';
import { localPeers } from '../server/localPeer';
import type { Tasks } from '../tasks';
import { openPeer } from '../wire/openPeer';
import { buildClone, type CloneContent } from './buildClone';
import { fillByBundleOr } from './fillByBundle';
import { usualRequirements } from './usualRequirements';
import type { Peer } from '../wire/peer';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { pullFrom } from './pull';
import { locateSource } from './sources';

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
  const location = locateSource(request.source);
  return buildClone(request, location.fragment, operation, workers, async (root, watched) => {
    const peer = await openPeer(location, request.settings, watched, localPeers(workers));
    try {
      return await fillByBundleOr(peer, root, 'pull', request, watched, workers, () =>
        pullInto(peer, root, request, watched, workers),
      );
    } finally {
      await peer.close();
    }
  });
}

async function pullInto(
  peer: Peer,
  root: string,
  { settings }: CloneRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneContent> {
  createRepository(root, { requirements: new Set(usualRequirements), defaultPath: peer.address });
  const pulled = await pullFrom(peer, { root, settings, sourceName: 'default' }, operation, workers);
  const { format, compression, reason, bytesOnWire, changesets, warnings } = pulled;
  const size = await workers.run('measureStore', { root }, operation);
  return {
    source: peer.address,
    format,
    compression,
    reason,
    requirements: usualRequirements,
    ...size,
    bytesOnWire,
    revisions: changesets.length,
    warnings,
  };
}
