import * as l10n from '@vscode/l10n';
import { unsupportedError } from '../io/errors';
import { isNode, nullNode, nullRev, type Node, type Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';
import { readBookmarks } from '../store/bookmarks';
import { openRevlogIfThere } from '../store/openRevlog';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { BranchNames, branchTip } from './branches';
import { defaultBranch, parseChangeset } from './changeset';
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
  using changelog = openRevlogIfThere(repository, '00changelog.i');
  if (changelog === undefined) return undefined;
  const found = new Search(repository, changelog).find(wish);
  if (found === undefined) return undefined;
  const node = changelog.node(found.rev);
  const { manifest, branch } = parseChangeset(changelog.text(found.rev), `changeset ${node}`);
  return { ...found, node, manifest, branch };
}

interface Found {
  rev: Rev;
  bookmark?: string;
}

class Search {
  constructor(
    private readonly repository: RepositoryFolders,
    private readonly changelog: Revlog,
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
    return isNode(wish) ? this.at(wish) : undefined;
  }

  private bookmark(wish: string): Found | undefined {
    const name = asBytes(wish);
    const found = this.at(readBookmarks(this.repository).get(name));
    return found === undefined ? undefined : { ...found, bookmark: name };
  }

  private tag(wish: string): Found | undefined {
    return this.at(readTags(this.repository, this.changelog).get(asBytes(wish)));
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
        throw unsupportedError(l10n.t('More than one changeset begins with {0}.', wish), {
          subject: wish,
          advice: l10n.t('Give more of its digits.'),
        });
      }
      found = rev as Rev;
    }
    if (found === nullRev) throw unknown(wish);
    return { rev: found };
  }

  /** Bookmarks and tags at changesets that the repository does not have count for nothing, as in Mercurial. */
  private at(node: Node | undefined): Found | undefined {
    const rev = node === undefined ? undefined : this.changelog.find(node);
    return rev === undefined || rev < 0 ? undefined : { rev };
  }
}

function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function unknown(wish: string): Error {
  return unsupportedError(l10n.t('There is no revision {0} in the repository.', JSON.stringify(wish)), {
    subject: wish,
    advice: l10n.t('Name a branch, tag, bookmark, revision number or node.'),
  });
}
