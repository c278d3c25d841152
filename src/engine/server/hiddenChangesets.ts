import { join } from 'node:path';
import { divideMarkers, readMarker } from '../bundle/obsolescence';
import type { ChangelogGraph } from '../exchange/changelogGraph';
import { nodeAt, type Node } from '../revlog/node';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { readOrEmpty } from '../workingcopy/branches';

/**
 * Which changesets a rewrite has made obsolete, 1 for each, so far as nothing that is visible stands on them: bookmarks and
 * the working copy keep theirs visible. Phases above secret (archived, internal) are for {@link ServedRepository} to judge.
 *
 * @throws `unsupported`, `corrupt` for a list of markers that cannot be read
 */
export function hiddenChangesets(
  repository: RepositoryFolders,
  graph: ChangelogGraph,
  phases: Uint8Array,
  bookmarks: ReadonlyMap<string, Node>,
): Uint8Array {
  const hidden = new Uint8Array(graph.length);
  const path = join(repository.store, 'obsstore');
  for (const marker of divideMarkers(readOrEmpty(path), path)) {
    const read = readMarker(marker);
    const rev = read === undefined ? undefined : graph.find(read.predecessor);
    if (rev !== undefined && phases[rev] > 0) hidden[rev] = 1;
  }
  if (!hidden.includes(1)) return hidden;
  const pinned = [...bookmarks.values(), ...workingCopyParents(repository)];
  for (const node of pinned) {
    const rev = graph.find(node);
    if (rev !== undefined) hidden[rev] = 0;
  }
  for (let rev = graph.length - 1; rev >= 0; rev--) {
    if (hidden[rev] === 1) continue;
    for (const parent of [graph.parents[2 * rev], graph.parents[2 * rev + 1]]) if (parent >= 0) hidden[parent] = 0;
  }
  return hidden;
}

/** The first 40 bytes of a dirstate of version 1: two nodes. */
function workingCopyParents({ hg }: RepositoryFolders): Node[] {
  const bytes = readOrEmpty(join(hg, 'dirstate'));
  return bytes.length < 40 ? [] : [nodeAt(bytes), nodeAt(bytes, 20)];
}
