import type { Node, Rev } from '../revlog/node';
import { nullRev } from '../revlog/node';
import type { RevlogIndex } from '../revlog/revlogIndex';
import type { Bookmarks } from '../store/bookmarks';

/** Bookmarks after an exchange, and what became of them; names are bytes as Latin-1. */
export interface MergedBookmarks {
  bookmarks: Map<string, Node>;
  added: string[];
  moved: string[];
  /** The names under which the other side's places are kept beside ours. */
  diverged: string[];
}

/**
 * Takes over the bookmarks of the other side as `hg pull` does: a new one is added, one that went forward is moved, one
 * that stayed behind ours is left alone, and one that went elsewhere is kept beside ours as `NAME@SOURCE` (`@SOURCE` for
 * the bookmark `@`). What points to changesets that are not here is passed over.
 *
 * @param source what the other side is called: the name of its path, else a number
 */
export function mergeBookmarks(
  changelog: RevlogIndex,
  ours: Bookmarks,
  theirs: Bookmarks,
  source: string,
): MergedBookmarks {
  const merged: MergedBookmarks = { bookmarks: new Map(ours), added: [], moved: [], diverged: [] };
  for (const [name, node] of [...theirs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const rev = changelog.find(node);
    if (rev === undefined || rev === nullRev) continue;
    const here = ours.get(name);
    const hereRev = here === undefined ? undefined : changelog.find(here);
    if (here === node) continue;
    if (here === undefined || hereRev === undefined) {
      // A name with a source in it is somebody else's quarrel.
      if (here === undefined && isDivergentName(name) && ours.has(name.slice(0, name.lastIndexOf('@')))) continue;
      merged.bookmarks.set(name, node);
      merged.added.push(name);
    } else if (isAncestor(changelog, hereRev, rev)) {
      merged.bookmarks.set(name, node);
      merged.moved.push(name);
    } else if (!isAncestor(changelog, rev, hereRev)) {
      const beside = `${name === '@' ? '' : name}@${source}`;
      if (merged.bookmarks.get(beside) === node) continue;
      merged.bookmarks.set(beside, node);
      merged.diverged.push(beside);
    }
  }
  return merged;
}

function isDivergentName(name: string): boolean {
  return name.lastIndexOf('@') > 0;
}

/** Whether `older` is `rev` or one of its ancestors. */
export function isAncestor(changelog: RevlogIndex, older: Rev, rev: Rev): boolean {
  if (older === nullRev || older === rev) return true;
  if (older > rev) return false;
  const isReached = new Uint8Array(rev - older + 1);
  isReached[rev - older] = 1;
  for (let at = rev as number; at > older; at--) {
    if (isReached[at - older] === 0) continue;
    for (const parent of [changelog.p1(at as Rev), changelog.p2(at as Rev)]) {
      if (parent >= older) isReached[parent - older] = 1;
    }
  }
  return isReached[0] === 1;
}
