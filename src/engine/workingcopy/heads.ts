import type { Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';

/** The revisions that have no child, in order. */
export function headsOf(changelog: Revlog): Rev[] {
  const hasChild = new Uint8Array(changelog.length);
  for (let rev = 0; rev < changelog.length; rev++) {
    const p1 = changelog.p1(rev as Rev);
    const p2 = changelog.p2(rev as Rev);
    if (p1 >= 0) hasChild[p1] = 1;
    if (p2 >= 0) hasChild[p2] = 1;
  }
  const heads: Rev[] = [];
  for (let rev = 0; rev < changelog.length; rev++) if (hasChild[rev] === 0) heads.push(rev as Rev);
  return heads;
}
