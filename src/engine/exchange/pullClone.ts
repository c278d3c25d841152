import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { createRepository } from '../store/newRepository';
import { localPeers } from '../server/localPeer';
import type { Tasks } from '../tasks';
import { openPeer } from '../wire/openPeer';
import { buildClone, type CloneContent } from './buildClone';
import { fillByBundleOr } from './fillByBundle';
import { usualRequirements } from './usualRequirements';
import type { Location } from '../wire/location';
import type { Peer } from '../wire/peer';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { pullFrom } from './pull';
import { locateSource } from './sources';

/**
 * Clones a repository by pulling into a new one, in the format of our choice, every text checked: everything, or what was
 * asked for, by the request or behind the `#` of its address. The clone is built beside its destination and renamed into place
 * as the last act.
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
    const pulled = () => pullInto(peer, root, location, request, watched, workers);
    const isWhole = request.revisions === undefined && location.fragment === undefined;
    try {
      // A clone bundle holds everything.
      return isWhole ? await fillByBundleOr(peer, root, 'pull', request, watched, workers, pulled) : await pulled();
    } finally {
      await peer.close();
    }
  });
}

async function pullInto(
  peer: Peer,
  root: string,
  { scheme, fragment: branch }: Location,
  { settings, revisions }: CloneRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneContent> {
  // Later pulls keep to the branch too.
  const kept = branch === undefined ? '' : `#${scheme === 'file' ? branch : encodeURIComponent(branch)}`;
  createRepository(root, { requirements: new Set(usualRequirements), defaultPath: `${peer.address}${kept}` });
  const first = revisions?.at(0);
  const checkout = first === undefined ? undefined : await peer.lookup(first, operation);
  const request = { root, settings, sourceName: 'default', revisions, branch };
  const pulled = await pullFrom(peer, request, operation, workers);
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
    checkout,
  };
}
