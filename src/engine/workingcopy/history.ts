import type { Node, Rev } from '../revlog/node';

/** What is asked of a changelog here: where revisions hang together, and their texts. */
export interface History {
  /** Number of revisions. */
  readonly length: number;
  node(rev: Rev): Node;
  /** The revision with this node; undefined when there is none. */
  find(node: Node): Rev | undefined;
  p1(rev: Rev): Rev;
  p2(rev: Rev): Rev;
  text(rev: Rev): Uint8Array;
}

/** The revisions that have no child, in order. */
export function headsOf(history: History): Rev[] {
  const hasChild = new Uint8Array(history.length);
  for (let rev = 0; rev < history.length; rev++) {
    const p1 = history.p1(rev as Rev);
    const p2 = history.p2(rev as Rev);
    if (p1 >= 0) hasChild[p1] = 1;
    if (p2 >= 0) hasChild[p2] = 1;
  }
  const heads: Rev[] = [];
  for (let rev = 0; rev < history.length; rev++) if (hasChild[rev] === 0) heads.push(rev as Rev);
  return heads;
}
