import { dirname, join } from 'node:path';
import type { Bundle2PartToWrite } from '../bundle/bundle2Writer';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { readOrEmpty } from '../workingcopy/branches';
import type { Outgoing } from './outgoing';
import type { ServedView } from './servedRepository';

const recordLength = 24;
const prefixLength = 4;
const nodeLength = 20;

/**
 * The part that tells which revision of `.hgtags` the heads have, so far as Mercurial's cache knows: the client need not
 * read their manifests then. No part where it knows nothing.
 *
 * @see `hg help internals.bundle2`
 */
export function* tagsFilesPart(
  { store }: RepositoryFolders,
  { graph }: ServedView,
  { isSent }: Outgoing,
): Generator<Bundle2PartToWrite> {
  const cache = readOrEmpty(join(dirname(store), 'cache', 'hgtagsfnodes1'));
  const pairs: Buffer[] = [];
  for (const rev of graph.headsOf(isSent)) {
    const at = rev * recordLength;
    if (at + recordLength > cache.length) continue;
    const node = Buffer.alloc(nodeLength);
    graph.copyNode(rev, node, 0);
    const file = cache.subarray(at + prefixLength, at + recordLength);
    if (node.compare(cache, at, at + prefixLength, 0, prefixLength) !== 0 || file.every((byte) => byte === 0xff))
      continue;
    pairs.push(node, file);
  }
  if (pairs.length > 0) yield { type: 'hgtagsfnodes', isMandatory: true, payload: [Buffer.concat(pairs)] };
}
