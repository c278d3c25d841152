import * as l10n from '@vscode/l10n';
import { createReadStream, statSync } from 'node:fs';
import { peekBundle } from '../bundle/peekBundle';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Tasks } from '../tasks';
import type { Location } from '../wire/location';
import { buildClone, type CloneContent } from './buildClone';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { countBytes } from './countBytes';
import { fillFromBundle, type BundleOrigin } from './fillFromBundle';

/**
 * Makes a repository of a bundle file: a stream becomes its store as it is, a changegroup is pulled into a new one.
 * @throws errors of every kind but those of a network; afterwards the destination is as it was
 */
export function cloneBundleFile(
  request: CloneRequest,
  location: Location,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneSummary> {
  return buildClone(request, location.fragment, operation, workers, (root, watched) =>
    fillFromFile(root, location, watched, workers),
  );
}

async function fillFromFile(
  root: string,
  { address, shown }: Location,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneContent> {
  const counted = countBytes(createReadStream(address));
  const { content, compression, bundle } = await peekBundle(counted.body, l10n.t('bundle file'), 'corrupt');
  const from: BundleOrigin = {
    name: l10n.t('bundle file'),
    origin: 'corrupt',
    purpose: { operation: 'unbundle', source: address },
    total: statSync(address).size,
  };
  const filled = await fillFromBundle(root, shown, content, bundle, from, operation, workers);
  return { ...filled, compression, reason: l10n.t('a file'), bytesOnWire: counted.total() };
}
