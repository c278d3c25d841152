import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { divideMarkers, readMarker } from '../bundle/obsolescence';
import type { Node, Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { parseChangeset } from './changeset';
import type { WorkingCopyState } from './workingCopyState';

/** Where a plain update would lead from a working copy's parent: forward, or why not. */
export type ForwardHead = { to: Rev } | { reason: 'current' | 'heads' | 'rewritten' };

/**
 * The changeset to go forward to: the active bookmark where it has gone ahead, else the one open head of the branch among
 * the descendants of the parent. With more heads than one it is a person's choice, and so it is after a rewrite.
 *
 * @throws as `Revlog.text` and `parseChangeset`
 */
export function findForwardHead(
  repository: RepositoryFolders,
  changelog: Revlog,
  parent: Rev,
  { branch, activeBookmark }: Pick<WorkingCopyState, 'branch' | 'activeBookmark'>,
): ForwardHead {
  const descends = descendantsOf(changelog, parent);
  const rewritten = rewrittenNodes(repository);
  const isRewritten = (rev: Rev) => rewritten.has(changelog.node(rev));
  if (isRewritten(parent)) return { reason: 'rewritten' };
  const head = activeBookmark === undefined ? undefined : changelog.find(activeBookmark.node);
  if (head !== undefined && head !== parent) {
    if (descends[head] !== 1) return { reason: 'heads' };
    return isRewritten(head) ? { reason: 'rewritten' } : { to: head };
  }
  const heads = branchHeads(changelog, descends, parent, branch);
  if (heads.length === 0) return { reason: 'current' };
  // The active bookmark would have to move along.
  if (heads.length > 1 || head === parent || heads[0].closes) return { reason: 'heads' };
  return isRewritten(heads[0].rev) ? { reason: 'rewritten' } : { to: heads[0].rev };
}

/** 1 for every descendant, itself not among them. */
function descendantsOf(changelog: Revlog, parent: Rev): Uint8Array {
  const descends = new Uint8Array(changelog.length);
  for (let rev = parent + 1; rev < changelog.length; rev++) {
    const [p1, p2] = [changelog.p1(rev as Rev), changelog.p2(rev as Rev)];
    if (p1 === parent || p2 === parent || descends[p1] === 1 || descends[p2] === 1) descends[rev] = 1;
  }
  return descends;
}

/** Descendants on the branch from which no other of the branch descends. */
function branchHeads(
  changelog: Revlog,
  descends: Uint8Array,
  parent: Rev,
  branch: string,
): { rev: Rev; closes: boolean }[] {
  const hasLater = new Uint8Array(changelog.length);
  const heads: { rev: Rev; closes: boolean }[] = [];
  for (let rev = changelog.length - 1; rev > parent; rev--) {
    if (descends[rev] !== 1) continue;
    let isOnBranch = hasLater[rev] === 1;
    if (!isOnBranch) {
      const changeset = parseChangeset(changelog.text(rev as Rev), `changeset ${changelog.node(rev as Rev)}`);
      isOnBranch = changeset.branch === branch;
      if (isOnBranch) heads.push({ rev: rev as Rev, closes: changeset.closes });
    }
    if (!isOnBranch) continue;
    for (const above of [changelog.p1(rev as Rev), changelog.p2(rev as Rev)]) if (above > parent) hasLater[above] = 1;
  }
  return heads;
}

/** The changesets that markers say were rewritten or pruned. */
function rewrittenNodes({ store }: RepositoryFolders): Set<Node> {
  const path = join(store, 'obsstore');
  const nodes = new Set<Node>();
  if (!existsSync(path)) return nodes;
  for (const marker of divideMarkers(readFileSync(path), path)) {
    const read = readMarker(marker);
    if (read !== undefined) nodes.add(read.predecessor);
  }
  return nodes;
}
