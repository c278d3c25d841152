import type { BundleContent } from '../bundle/peekBundle';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Node } from '../revlog/node';
import { createRepository } from '../store/newRepository';
import type { Tasks } from '../tasks';
import type { CloneContent } from './buildClone';
import { countBytes, reportTransfer } from './countBytes';
import type { ReceiveBundle } from './receiveBundle';
import { receiveChanges } from './receiveChanges';
import { receiveStream } from './receiveStream';
import { formatName } from './streamName';
import { usualRequirements } from './usualRequirements';

/** What a bundle is, for errors and `undo.desc`, and how many bytes it has where that is known. */
export interface BundleOrigin extends Pick<ReceiveBundle, 'name' | 'origin' | 'purpose'> {
  total?: number;
}

/** What a bundle made of a new repository. */
export type FilledFromBundle = Omit<CloneContent, 'compression' | 'reason' | 'bytesOnWire'>;

/**
 * Makes a repository of a bundle: a stream becomes its store as it is, a changegroup is received into one of the usual
 * format.
 *
 * @param source what is written down as the place that it comes from
 * @throws as `receiveStreamClone` and `receiveBundle`
 */
export async function fillFromBundle(
  root: string,
  source: string,
  content: BundleContent,
  bundle: AsyncIterable<Uint8Array>,
  { total, ...from }: BundleOrigin,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<FilledFromBundle> {
  if (content === 'stream') {
    const { name, origin } = from;
    const wanted = { root, source, compression: 'none', format: 'bundle', name, origin } as const;
    const { version, requirements, files, bytes, ...refs } = await receiveStream(wanted, bundle, operation, workers);
    const bookmarks = refs.bookmarks ?? new Map<string, Node>();
    const { revisions } = await workers.run('finishRefs', { root, bookmarks }, operation);
    return { source, format: formatName(version), requirements, files, bytes, revisions, warnings: [] };
  }
  createRepository(root, { requirements: new Set(usualRequirements), defaultPath: source });
  const remote = { heads: [] };
  const request = { root, ...from, form: 'bundle', compression: 'none', sourceName: '1', remote } as const;
  // A stream says itself how much of it came; a changegroup does not.
  const { body } = countBytes(bundle, reportTransfer(operation, total));
  const { format, changesets } = await receiveChanges(request, body, operation, workers);
  const size = await workers.run('measureStore', { root }, operation);
  const [requirements, revisions] = [usualRequirements, changesets.length];
  return { source, format, requirements, ...size, revisions, warnings: [] };
}
