import { asDestinationError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { createRepository } from '../store/newRepository';
import { Staging } from '../store/staging';
import type { Tasks } from '../tasks';
import { parseLocation } from '../wire/location';
import { openPeer } from '../wire/openPeer';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { PhaseClock } from './phaseClock';
import { pullFrom } from './pull';
import { updateClone } from './updateClone';

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
  const clock = new PhaseClock();
  const watched = clock.watch(operation);
  const location = parseLocation(request.source);
  const peer = await openPeer(location, request.settings, watched);
  try {
    const staging = Staging.beside(request.destination);
    try {
      const root = staging.path;
      const requirements = new Set(usualRequirements);
      createRepository(root, { requirements, defaultPath: location.shown });
      const pulled = await pullFrom(
        peer,
        { root, settings: request.settings, sourceName: 'default' },
        watched,
        workers,
      );
      const { update } = request;
      const wish = update.kind === 'revision' ? { revision: update.revision } : { branch: location.fragment };
      const outcome = update.kind === 'none' ? { warnings: [] } : await updateClone(root, wish, watched, workers);
      const size = await workers.run('measureStore', { root }, watched);
      staging.commit(['.hg/requires', '.hg/store/requires']);
      return {
        operation: 'clone',
        source: location.shown,
        destination: request.destination,
        format: pulled.format,
        compression: pulled.compression,
        reason: pulled.reason,
        requirements: usualRequirements,
        ...size,
        bytesOnWire: pulled.bytesOnWire,
        revisions: pulled.changesets.length,
        phases: clock.phases,
        ...outcome,
      };
    } catch (error) {
      staging.discard();
      throw asDestinationError(error, request.destination);
    }
  } finally {
    await peer.close();
  }
}
