import * as l10n from '@vscode/l10n';
import { unsupportedError } from '../io/errors';
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
 * new store. A store as it is holds all: for a part of the changesets it has to be a new one. What a bundle file holds
 * decides for itself.
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
  if (isBundleFile(location)) {
    if (request.revisions !== undefined) throw partOfBundle(location.address);
    return await cloneBundleFile(request, location, operation, workers);
  }
  return way === 'stream' && request.revisions === undefined
    ? await streamClone(request, operation, workers)
    : await pullClone(request, operation, workers);
}

function partOfBundle(path: string): Error {
  return unsupportedError(l10n.t('Of the bundle file {0} a part of the changesets was asked for.', path), {
    subject: path,
    advice: l10n.t('Clone all of it, or choose a repository.'),
  });
}
