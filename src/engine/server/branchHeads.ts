import type { Rev } from '../revlog/node';
import type { BranchNames } from '../workingcopy/branches';
import type { ServedView } from './servedRepository';

/**
 * The heads of each branch, in order, among what clients may see: changesets that no other of the same branch descends
 * from, over whatever branches lie between.
 */
export function branchHeads({ graph, isServed }: ServedView, names: BranchNames): Map<string, Rev[]> {
  const { parents } = graph;
  const branchOf: string[] = [];
  const candidates = new Map<string, Set<Rev>>();
  for (let number = 0; number < graph.length; number++) {
    if (isServed[number] !== 1) continue;
    const rev = number as Rev;
    const { branch } = names.of(rev);
    branchOf[rev] = branch;
    let heads = candidates.get(branch);
    if (heads === undefined) candidates.set(branch, (heads = new Set<Rev>()));
    heads.add(rev);
    for (const parent of [parents[2 * rev], parents[2 * rev + 1]])
      if (branchOf[parent] === branch) heads.delete(parent as Rev);
  }
  return new Map([...candidates].map(([branch, heads]) => [branch, withoutAncestors(parents, [...heads])]));
}

/** Those of some revisions, in order, that are no ancestors of others. */
function withoutAncestors(parents: Int32Array, revs: readonly Rev[]): Rev[] {
  if (revs.length < 2) return [...revs];
  const [first, last] = [revs[0], revs[revs.length - 1]];
  const isAncestor = new Uint8Array(last - first + 1);
  const isCandidate = new Set<number>(revs);
  for (let rev: number = last; rev >= first; rev--) {
    if (isAncestor[rev - first] === 0 && !isCandidate.has(rev)) continue;
    for (const parent of [parents[2 * rev], parents[2 * rev + 1]]) if (parent >= first) isAncestor[parent - first] = 1;
  }
  return revs.filter((rev) => isAncestor[rev - first] === 0);
}
