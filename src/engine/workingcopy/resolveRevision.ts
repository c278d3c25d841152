import { join } from 'node:path';
import { corruptError, unsupportedError } from '../io/errors';
import { isNode, nullNode, nullRev, type Node, type Rev } from '../revlog/node';
import { readBookmarks } from '../store/bookmarks';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { BranchNames, branchTip } from './branches';
import { defaultBranch, parseChangeset } from './changeset';
import { RevisionFile } from './revisionFile';
import { readTags } from './readTags';

/** What to check out. */
export interface ResolvedRevision {
  rev: Rev;
  node: Node;
  /** The manifest of the changeset's files; the null node when it has none. */
  manifest: Node;
  /** UTF-8 bytes as Latin-1. */
  branch: string;
  /** The bookmark that it was found by, which the working copy then follows. UTF-8 bytes as Latin-1. */
  bookmark?: string;
}

/** How somebody says what to check out. */
export interface RevisionWish {
  /**
   * A revision number, node, beginning of a node, bookmark, tag or branch, `tip` or `null`, as text. Absent: the bookmark
   * `@` where there is one, else the tip of the branch `default`, else the tip.
   */
  revision?: string;
  /** A branch or else any of the above: what an address has after its `#`. */
  branch?: string;
}

/**
 * Finds the changeset that somebody wants checked out; undefined for none at all (`null`, or an empty repository).
 *
 * @throws `unsupported` with the wish as subject when there is no such changeset, or more than one
 * @see `hg help clone` for the order in which the default is looked for
 */
export function resolveRevision(repository: RepositoryFolders, wish: RevisionWish = {}): ResolvedRevision | undefined {
  using changelog = openChangelog(repository);
  if (changelog === undefined) return undefined;
  const found = new Search(repository, changelog).find(wish);
  if (found === undefined) return undefined;
  const node = changelog.node(found.rev);
  const { manifest, branch } = parseChangeset(changelog.text(found.rev), `changeset ${node}`);
  return { ...found, node, manifest, branch };
}

/** The changelog; undefined when the repository has none yet. */
export function openChangelog(repository: RepositoryFolders): RevisionFile | undefined {
  try {
    return RevisionFile.open(join(repository.store, '00changelog.i'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface Found {
  rev: Rev;
  bookmark?: string;
}

class Search {
  constructor(
    private readonly repository: RepositoryFolders,
    private readonly changelog: RevisionFile,
  ) {}

  find({ revision, branch }: RevisionWish): Found | undefined {
    if (revision !== undefined) return this.named(revision);
    if (branch !== undefined) return this.branch(branch) ?? this.named(branch);
    if (this.changelog.length === 0) return undefined;
    return this.bookmark('@') ?? this.branch(defaultBranch) ?? { rev: (this.changelog.length - 1) as Rev };
  }

  private named(wish: string): Found | undefined {
    if (wish === 'null' || wish === nullNode || wish === '-1') return wish === '-1' ? this.number(-1, wish) : undefined;
    if (wish === 'tip') return this.number(-1, wish);
    if (/^-?\d{1,15}$/.test(wish) && String(Number(wish)) === wish && this.isNumber(Number(wish))) {
      return this.number(Number(wish), wish);
    }
    return this.byNode(wish) ?? this.bookmark(wish) ?? this.tag(wish) ?? this.branch(wish) ?? this.byPrefix(wish);
  }

  private isNumber(number: number): boolean {
    return number < this.changelog.length && number >= -this.changelog.length;
  }

  /** Negative numbers count from the end. */
  private number(number: number, wish: string): Found {
    if (!this.isNumber(number)) throw unknown(wish);
    return { rev: (number < 0 ? this.changelog.length + number : number) as Rev };
  }

  private byNode(wish: string): Found | undefined {
    const rev = isNode(wish) ? this.changelog.find(wish) : undefined;
    return rev === undefined ? undefined : { rev };
  }

  private bookmark(wish: string): Found | undefined {
    const name = asBytes(wish);
    const node = readBookmarks(this.repository).get(name);
    return node === undefined ? undefined : { rev: this.present(node, `bookmark ${wish}`), bookmark: name };
  }

  private tag(wish: string): Found | undefined {
    const node = readTags(this.repository, this.changelog).get(asBytes(wish));
    return node === undefined ? undefined : { rev: this.present(node, `tag ${wish}`) };
  }

  private branch(wish: string): Found | undefined {
    const rev = branchTip(this.changelog, BranchNames.open(this.changelog, this.repository.hg), asBytes(wish));
    return rev === undefined ? undefined : { rev };
  }

  private byPrefix(wish: string): Found {
    if (!/^[0-9a-f]{1,40}$/.test(wish)) throw unknown(wish);
    let found: Rev = nullRev;
    for (let rev = 0; rev < this.changelog.length; rev++) {
      if (!this.changelog.node(rev as Rev).startsWith(wish)) continue;
      if (found !== nullRev) {
        throw unsupportedError(`More than one changeset begins with ${wish}.`, {
          subject: wish,
          advice: 'Give more of its digits.',
        });
      }
      found = rev as Rev;
    }
    if (found === nullRev) throw unknown(wish);
    return { rev: found };
  }

  private present(node: Node, what: string): Rev {
    const rev = this.changelog.find(node);
    if (rev === undefined)
      throw corruptError(`The ${what} is at ${node}, which is not in the repository.`, { subject: node });
    return rev;
  }
}

function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function unknown(wish: string): Error {
  return unsupportedError(`There is no revision ${JSON.stringify(wish)} in the repository.`, {
    subject: wish,
    advice: 'Name a branch, tag, bookmark, revision number or node.',
  });
}
