import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';
import { parseChangeset } from './changeset';

/** The named branch of a changeset, and whether it closes its head. */
export interface BranchOfChangeset {
  branch: string;
  closes: boolean;
}

const recordLength = 8;
const closesBit = 0x80000000;

/**
 * Tells the branches of changesets. Where the cache that a server sends along knows one, its text is not read: for
 * hundreds of thousands of changesets that is the difference between milliseconds and seconds.
 *
 * The cache (`rbc-names-v1`, `rbc-revs-v1`): names with NUL between them; for each revision four bytes of its node and the
 * number of its branch's name, whose highest bit says that it closes. Big-endian. Whatever is not as expected there is
 * passed over, so a cache that is damaged or of another history does no harm beyond the time it would have saved; one that
 * lies about the branches is found out by {@link verified}.
 */
export class BranchNames {
  private constructor(
    private readonly changelog: Revlog,
    private readonly names: readonly string[],
    private readonly records: Buffer,
  ) {}

  static open(changelog: Revlog, hgFolder: string): BranchNames {
    const cache = join(hgFolder, 'cache');
    const names = readOrEmpty(join(cache, 'rbc-names-v1')).toString('latin1').split('\0');
    return new BranchNames(changelog, names, readOrEmpty(join(cache, 'rbc-revs-v1')));
  }

  /** The same without the cache. */
  verified(): BranchNames {
    return new BranchNames(this.changelog, [], Buffer.alloc(0));
  }

  of(rev: Rev): BranchOfChangeset {
    const at = rev * recordLength;
    if (at + recordLength <= this.records.length) {
      const prefix = this.records.toString('hex', at, at + 4);
      const number = this.records.readUInt32BE(at + 4);
      const branch = this.names[number % closesBit] as string | undefined;
      if (branch !== undefined && branch !== '' && this.changelog.node(rev).startsWith(prefix)) {
        return { branch, closes: number >= closesBit };
      }
    }
    return parseChangeset(this.changelog.text(rev), `changeset ${this.changelog.node(rev)}`);
  }
}

/**
 * The tip of a branch: of its heads that are not closed the one with the highest revision, of the closed ones when there
 * is no other. Undefined when no changeset is on that branch.
 *
 * Looks from the end of the history backwards, and only as far as needed: for a branch that was worked on lately, a few
 * changesets.
 */
export function branchTip(changelog: Revlog, names: BranchNames, branch: string): Rev | undefined {
  const found = searchTip(changelog, names, branch);
  if (found === undefined || isAsCached(changelog, names, found)) return found;
  return searchTip(changelog, names.verified(), branch);
}

function searchTip(changelog: Revlog, names: BranchNames, branch: string): Rev | undefined {
  // Marks what a later changeset of the branch descends from: that is no head of it.
  const isAncestor = new Uint8Array(changelog.length);
  let closedTip: Rev | undefined;
  for (let number = changelog.length - 1; number >= 0; number--) {
    const rev = number as Rev;
    let passOn = isAncestor[rev] === 1;
    if (!passOn) {
      const at = names.of(rev);
      if (at.branch === branch) {
        if (!at.closes) return rev;
        closedTip ??= rev;
        passOn = true;
      }
    }
    if (!passOn) continue;
    const p1 = changelog.p1(rev);
    const p2 = changelog.p2(rev);
    if (p1 >= 0) isAncestor[p1] = 1;
    if (p2 >= 0) isAncestor[p2] = 1;
  }
  return closedTip;
}

function isAsCached(changelog: Revlog, names: BranchNames, rev: Rev): boolean {
  const cached = names.of(rev);
  const written = parseChangeset(changelog.text(rev), `changeset ${changelog.node(rev)}`);
  return cached.branch === written.branch && cached.closes === written.closes;
}

/** The bytes of a file, none when it is not there. */
export function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
