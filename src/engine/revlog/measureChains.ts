import { throwIfCancelled, type Operation } from '../io/operation';
import { deltaTypes, noLevel, sizeColumn, type ChainColumns } from './chainColumns';
import { brokenBase, type IndexColumns } from './scanIndex';

const type = Object.fromEntries(deltaTypes.map((name, position) => [name, position])) as Record<
  (typeof deltaTypes)[number],
  number
>;
const entryLength = 64;
const revsBetweenChecks = 1 << 18;

/**
 * Works the delta chains out from the fields of an index, in one pass: every revision adds to what is known of the one
 * that it is a delta against.
 *
 * The types are those of `hg debugdeltachain` 6.3.2, found by comparing with what it says of made-up indexes: `base` holds
 * a whole text; `p1` and `p2` come before `snap`, `snap` before `skip1` and `skip2`, and those before `prev`. A parent
 * whose chunk is empty has the text of the revision that its delta is against; a delta against that one skips the parent.
 * A snapshot is a whole text or, in repositories with `sparserevlog`, a delta against a snapshot that is no parent, empty
 * chunks skipped.
 *
 * The memory of `index` becomes that of the result.
 */
export function measureChains(
  path: string,
  index: IndexColumns,
  isSparse: boolean,
  operation: Operation,
): ChainColumns {
  const { count, bases, chunkLengths, offsets, header, p1s, p2s } = index;
  let total = 0;
  for (let rev = 0; rev < count; rev++) total += chunkLengths[rev];
  const types = new Uint8Array(count);
  const levels = new Uint16Array(count);
  const chainIds = new Int32Array(count);
  const chainLengths = new Int32Array(count);
  const chainSizes = sizeColumn(count, total);
  const filled = new FilledRevisions(bases, chunkLengths, header.isGeneraldelta);
  const chainBases: number[] = [];
  for (let rev = 0; rev < count; rev++) {
    if (rev % revsBetweenChecks === 0) throwIfCancelled(operation);
    const base = bases[rev];
    if (base === rev || base === brokenBase) {
      types[rev] = base === rev ? type.base : type.broken;
      levels[rev] = base === rev ? 0 : noLevel;
      chainIds[rev] = chainBases.push(rev);
      chainLengths[rev] = 1;
      chainSizes[rev] = chunkLengths[rev];
      filled.note(rev, -1);
      bases[rev] = -1;
      continue;
    }
    const parent = header.isGeneraldelta ? base : rev - 1;
    bases[rev] = parent;
    chainIds[rev] = chainIds[parent];
    chainLengths[rev] = chainLengths[parent] + 1;
    chainSizes[rev] = chainSizes[parent] + chunkLengths[rev];
    filled.note(rev, parent);
    levels[rev] = noLevel;
    if (!header.isGeneraldelta) {
      types[rev] = type.prev;
      continue;
    }
    const first = filled.find(p1s[rev], rev);
    const second = filled.find(p2s[rev], rev);
    const isSnapshot = isSparse && levels[parent] !== noLevel && parent !== first && parent !== second;
    if (isSnapshot) levels[rev] = Math.min(levels[parent] + 1, noLevel - 1);
    if (parent === p1s[rev]) types[rev] = type.p1;
    else if (parent === p2s[rev]) types[rev] = type.p2;
    else if (isSnapshot) types[rev] = type.snap;
    else if (parent === first) types[rev] = type.skip1;
    else if (parent === second) types[rev] = type.skip2;
    else types[rev] = parent === rev - 1 ? type.prev : type.other;
  }
  return {
    path,
    count,
    isInline: header.isInline,
    isGeneraldelta: header.isGeneraldelta,
    isSparse,
    indexBytes: count * entryLength,
    chunkBytes: total,
    offsets,
    chunkLengths,
    textLengths: index.textLengths,
    p1s,
    p2s,
    deltaParents: bases,
    types,
    levels,
    chainIds,
    chainBases: Int32Array.from(chainBases),
    chainLengths,
    chainSizes,
  };
}

/** Skips revisions with empty chunks: each is remembered by the first below it that has one, so that skipping is a step. */
class FilledRevisions {
  private readonly below: Int32Array;

  constructor(
    bases: Int32Array,
    private readonly chunkLengths: Uint32Array,
    isGeneraldelta: boolean,
  ) {
    this.below = new Int32Array(isGeneraldelta ? bases.length : 0);
  }

  note(rev: number, parent: number): void {
    this.below[rev] = parent >= 0 && this.chunkLengths[rev] === 0 ? this.below[parent] : rev;
  }

  /** @param before the revision that asks: a damaged one may name a parent that comes after it */
  find(rev: number, before: number): number {
    return rev < 0 || rev >= before ? -1 : this.below[rev];
  }
}
