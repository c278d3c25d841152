import { createReadStream } from 'node:fs';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Node } from '../revlog/node';
import type { Tasks } from '../tasks';
import type { Location } from '../wire/location';
import { buildClone, type CloneContent } from './buildClone';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { countBytes } from './countBytes';
import { receiveBundleFile } from './pull';
import { pullInto } from './pullClone';
import { receiveStream } from './receiveStream';
import { formatName } from './streamClone';

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
    fillFromBundle(root, location.address, location.shown, watched, workers),
  );
}

/**
 * Fills a new repository from a bundle file.
 * @param source what is written down as the place that it comes from
 */
export async function fillFromBundle(
  root: string,
  path: string,
  source: string,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneContent> {
  const name = 'bundle file';
  const content = await workers.run('readBundleContent', { name }, operation, createReadStream(path));
  if (content === 'changegroup') {
    return pullInto(root, source, operation, workers, () => receiveBundleFile(root, path, operation, workers));
  }
  const counted = countBytes(createReadStream(path));
  const wanted = { root, source, compression: 'none', format: 'bundle', name, origin: 'corrupt' } as const;
  const received = await receiveStream(wanted, counted.body, operation, workers);
  const bookmarks = received.bookmarks ?? new Map<string, Node>();
  const { revisions } = await workers.run('finishRefs', { root, bookmarks }, operation);
  return {
    source,
    format: formatName(received.version),
    compression: 'none',
    reason: 'a file',
    requirements: received.requirements,
    files: received.files,
    bytes: received.bytes,
    bytesOnWire: counted.total(),
    revisions,
    warnings: [],
  };
}
