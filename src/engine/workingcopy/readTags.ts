import { readOrEmpty } from './branches';
import { join } from 'node:path';
import type { Node, Rev } from '../revlog/node';
import { encodeStorePath } from '../store/pathEncoding';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { parseChangeset } from './changeset';
import { withoutMetadata } from './fileText';
import { headsOf } from './history';
import { Manifest } from './manifest';
import { RevisionFile } from './revisionFile';
import { mergeTags, type Tags } from './tags';

const tagsFile = '.hgtags';
const cacheRecord = 24;

/** The tags of a repository, from the `.hgtags` of all its heads. None when no file of that name was ever tracked. */
export function readTags(repository: RepositoryFolders, changelog: RevisionFile): Tags {
  const log = join(repository.store, encodeStorePath(`data/${tagsFile}.i`, repository.layout));
  using history = openIfThere(log);
  if (history === undefined) return new Map();
  return mergeTags(textsOf(history, tagRevisions(repository, changelog, history)));
}

/** Of each head that has tags, in order, the revision of its `.hgtags`; one that many heads have, once, at the last. */
function tagRevisions(repository: RepositoryFolders, changelog: RevisionFile, history: RevisionFile): Set<Rev> {
  using manifests = RevisionFile.open(join(repository.store, '00manifest.i'));
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
function cachedRevision(cache: Buffer, changelog: RevisionFile, head: Rev, history: RevisionFile): Rev | undefined {
  const at = head * cacheRecord;
  if (at + cacheRecord > cache.length) return undefined;
  const [prefix, node] = [cache.toString('hex', at, at + 4), cache.toString('hex', at + 4, at + cacheRecord)];
  return changelog.node(head).startsWith(prefix) ? history.find(node as Node) : undefined;
}

function listedRevision(
  manifests: RevisionFile,
  changelog: RevisionFile,
  head: Rev,
  history: RevisionFile,
): Rev | undefined {
  const node = tagNode(manifests, changelog, head);
  return node === undefined ? undefined : history.find(node);
}

function tagNode(manifests: RevisionFile, changelog: RevisionFile, head: Rev): Node | undefined {
  const { manifest: node } = parseChangeset(changelog.text(head), `changeset ${changelog.node(head)}`);
  const rev = manifests.find(node);
  if (rev === undefined) return undefined;
  const manifest = Manifest.parse(manifests.text(rev), `manifest ${node}`);
  const index = manifest.find(tagsFile);
  return index < 0 ? undefined : manifest.node(index);
}

function* textsOf(history: RevisionFile, revisions: Iterable<Rev>): Generator<Uint8Array> {
  for (const rev of revisions) yield withoutMetadata(history.text(rev), history.describe(rev));
}

function openIfThere(path: string): RevisionFile | undefined {
  try {
    return RevisionFile.open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
