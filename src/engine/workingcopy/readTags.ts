import { readOrEmpty } from './branches';
import { join } from 'node:path';
import type { Node, Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';
import { openRevlog, openRevlogIfThere } from '../store/openRevlog';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { parseChangeset } from './changeset';
import { headsOf } from './heads';
import { Manifest } from './manifest';
import { mergeTags, type Tags } from './tags';

const tagsFile = '.hgtags';
const cacheRecord = 24;

/** The tags of a repository, from the `.hgtags` of all its heads. None when no file of that name was ever tracked. */
export function readTags(repository: RepositoryFolders, changelog: Revlog): Tags {
  using history = openRevlogIfThere(repository, `data/${tagsFile}.i`);
  if (history === undefined) return new Map();
  return mergeTags(textsOf(history, tagRevisions(repository, changelog, history)));
}

/** Of each head that has tags, in order, the revision of its `.hgtags`; one that many heads have, once, at the last. */
function tagRevisions(repository: RepositoryFolders, changelog: Revlog, history: Revlog): Set<Rev> {
  using manifests = openRevlog(repository, '00manifest.i');
  const cache = readOrEmpty(join(repository.hg, 'cache', 'hgtagsfnodes1'));
  const revisions = new Set<Rev>();
  for (const head of headsOf(changelog)) {
    const revision =
      cachedRevision(cache, changelog, head, history) ?? listedRevision(manifests, changelog, head, history);
    if (revision === undefined) continue;
    revisions.delete(revision);
    revisions.add(revision);
  }
  return revisions;
}

/**
 * What the cache says, which a server sends along: for each changeset four bytes of its node and the node of its
 * `.hgtags`. It saves reading a manifest for each head; what it does not know, or cannot be, is looked up there.
 */
function cachedRevision(cache: Buffer, changelog: Revlog, head: Rev, history: Revlog): Rev | undefined {
  const at = head * cacheRecord;
  if (at + cacheRecord > cache.length) return undefined;
  const [prefix, node] = [cache.toString('hex', at, at + 4), cache.toString('hex', at + 4, at + cacheRecord)];
  return changelog.node(head).startsWith(prefix) ? present(history.find(node as Node)) : undefined;
}

function listedRevision(manifests: Revlog, changelog: Revlog, head: Rev, history: Revlog): Rev | undefined {
  const node = tagNode(manifests, changelog, head);
  return node === undefined ? undefined : present(history.find(node));
}

function tagNode(manifests: Revlog, changelog: Revlog, head: Rev): Node | undefined {
  const { manifest: node } = parseChangeset(changelog.text(head), `changeset ${changelog.node(head)}`);
  const rev = manifests.find(node);
  if (rev === undefined || rev < 0) return undefined;
  const manifest = Manifest.parse(manifests.text(rev), `manifest ${node}`);
  const index = manifest.find(tagsFile);
  return index < 0 ? undefined : manifest.node(index);
}

function* textsOf(history: Revlog, revisions: Iterable<Rev>): Generator<Uint8Array> {
  for (const rev of revisions) yield history.fileText(rev);
}

/** The null revision, which every history has, is none to read. */
function present(rev: Rev | undefined): Rev | undefined {
  return rev === undefined || rev < 0 ? undefined : rev;
}
