import { join } from 'node:path';
import { openRevlogIfThere } from '../store/openRevlog';
import { writeBookmarks } from '../store/bookmarks';
import { writePhaseRoots, type PhaseRoot } from '../store/phases';
import { locateRepository } from '../store/repositoryFolders';
import type { Node } from '../revlog/node';

/** The names and phases to give to what was received. */
export interface Refs {
  root: string;
  bookmarks: Map<string, Node>;
  /** Absent when the stream itself brought the phases. */
  draftRoots?: Node[];
}

/**
 * Worker task: writes bookmarks and phases of a new clone, and counts its changesets. What the server names and did not
 * send (it may have moved on since) is left out.
 */
export function finishRefs({ root, bookmarks, draftRoots }: Refs): { revisions: number } {
  const repository = locateRepository(root);
  using changelog = openRevlogIfThere(repository, '00changelog.i');
  const isThere = (node: Node) => changelog?.find(node) !== undefined;
  const here = new Map([...bookmarks].filter(([, node]) => isThere(node)));
  writeBookmarks(join(root, '.hg'), repository.requirements, here);
  if (draftRoots !== undefined) {
    const roots: PhaseRoot[] = draftRoots.filter(isThere).map((node) => ({ phase: 1, node }));
    if (roots.length > 0) writePhaseRoots(repository.store, roots);
  }
  return { revisions: changelog?.length ?? 0 };
}
