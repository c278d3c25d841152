import * as l10n from '@vscode/l10n';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { readUserSettings } from '../store/userHgrc';
import type { Tasks } from '../tasks';
import type { Peer } from '../wire/peer';
import type { CloneContent } from './buildClone';
import { cloneBundleSettings } from './cloneBundleSettings';
import type { CloneRequest } from './cloneRequest';
import { pullFrom } from './pull';
import { tryCloneBundle, type FilledFromCloneBundle } from './tryCloneBundle';

/**
 * Fills a new repository from a clone bundle and brings it up to date with its server, or, where there is no bundle, in
 * the way that `otherwise` has.
 *
 * @throws as `tryCloneBundle`, `pullFrom` and `otherwise`
 */
export async function fillByBundleOr(
  peer: Peer,
  root: string,
  way: 'stream' | 'pull',
  request: CloneRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
  otherwise: () => Promise<CloneContent>,
): Promise<CloneContent> {
  const settings = request.cloneBundles ?? cloneBundleSettings(readUserSettings());
  const { filled, warnings } = await tryCloneBundle(root, peer, way, settings, request.settings, operation, workers);
  if (filled === undefined) {
    const content = await otherwise();
    return { ...content, warnings: [...warnings, ...content.warnings] };
  }
  return bringUpToDate(filled, peer, root, request, operation, workers);
}

async function bringUpToDate(
  filled: FilledFromCloneBundle,
  peer: Peer,
  root: string,
  { settings }: CloneRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneContent> {
  const { bundle: address, resumptions, revisions, bytesOnWire: bytes, ...content } = filled;
  const pulled = await pullFrom(
    peer,
    { root, settings, sourceName: 'default', hasCloneBundle: true },
    operation,
    workers,
  );
  const size = await workers.run('measureStore', { root }, operation);
  return {
    ...content,
    ...size,
    compression: 'none',
    reason: l10n.t('a clone bundle from {0}, then {1} from the server', new URL(address).host, pulled.format),
    bytesOnWire: bytes + pulled.bytesOnWire,
    cloneBundle: { address, bytes, revisions, resumptions },
    revisions: revisions + pulled.changesets.length,
    warnings: [...content.warnings, ...pulled.warnings],
  };
}
