import { join } from 'node:path';
import type { Bundle2PartToWrite } from '../bundle/bundle2Writer';
import { divideMarkers, markersVersion, readMarker } from '../bundle/obsolescence';
import type { Node } from '../revlog/node';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { readOrEmpty } from '../workingcopy/branches';
import { ancestors, type Outgoing } from './outgoing';
import type { ServedView } from './servedRepository';

/** A marker as it is written, and whom it is about. */
interface Marker {
  bytes: Buffer;
  predecessor: Node;
}

/**
 * The part with the obsolescence markers that say how what the client asked for came to be: of each changeset those that
 * name it as a successor, and those that prune a child of it; then those of what was there before. No part where there
 * are none.
 *
 * @throws `unsupported`, `corrupt` for a list of markers that cannot be read
 * @see `hg help internals.bundle2`
 */
export function* markersPart(
  { store }: RepositoryFolders,
  { graph }: ServedView,
  { wanted }: Outgoing,
): Generator<Bundle2PartToWrite> {
  const about = markersByNode(join(store, 'obsstore'));
  if (about.size === 0) return;
  const pending: Node[] = [];
  ancestors(graph.parents, wanted, graph.length).forEach((isIn, rev) => isIn === 1 && pending.push(graph.node(rev)));
  const seen = new Set<Node>(pending);
  const relevant = new Set<Buffer>();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const { bytes, predecessor } of about.get(node) ?? []) {
      relevant.add(bytes);
      if (seen.has(predecessor)) continue;
      seen.add(predecessor);
      pending.push(predecessor);
    }
  }
  if (relevant.size === 0) return;
  const payload = [Buffer.concat([Buffer.of(markersVersion), ...relevant])];
  yield { type: 'obsmarkers', isMandatory: true, payload };
}

/** Markers by their successors; those that prune, by the parents of what they prune. */
function markersByNode(path: string): Map<Node, Marker[]> {
  const found = new Map<Node, Marker[]>();
  for (const bytes of divideMarkers(readOrEmpty(path), path)) {
    const marker = readMarker(bytes);
    if (marker === undefined) continue;
    const { predecessor, successors, parents } = marker;
    for (const node of successors.length > 0 ? successors : parents) {
      const known = found.get(node);
      if (known === undefined) found.set(node, [{ bytes, predecessor }]);
      else known.push({ bytes, predecessor });
    }
  }
  return found;
}
