import type { PackColumns } from '../../engine/pack/packColumns';
import type { ChainColumns } from '../../engine/revlog/chainColumns';

/** The chains of a revlog or a pack: the revisions that begin with the same whole text, chain by chain. */
export interface StoredChains {
  count: number;
  /** The chains by their numbers from 0, largest first. */
  bySize: Int32Array;
  /** Bytes of all chunks of each chain. */
  bytes: Float64Array;
  /** The most deltas that are applied to build a text of the chain. */
  longest: Int32Array;
  /** The revisions of chain n are those of `members` from `starts[n]` to before `starts[n + 1]`, rising. */
  starts: Int32Array;
  members: Int32Array;
}

const known = new WeakMap<object, StoredChains>();

/** The chains of a revlog; worked out once for the same columns. */
export function chainsOfRevlog(columns: ChainColumns): StoredChains {
  return once(columns, () => {
    const { count, chainIds, chainBases, chunkLengths, chainLengths } = columns;
    const numbers = chainIds.map((id) => id - 1);
    return groupChains({
      count,
      chains: chainBases.length,
      numbers,
      bytes: chunkLengths,
      links: chainLengths,
      base: 1,
    });
  });
}

/** The chains of a pack; worked out once for the same columns. */
export function chainsOfPack(columns: PackColumns): StoredChains {
  return once(columns, () => {
    const { count, roots, packedSizes, depths } = columns;
    const numberOfRoot = new Int32Array(count).fill(-1);
    const numbers = new Int32Array(count);
    let chains = 0;
    for (let entry = 0; entry < count; entry++) {
      const root = roots[entry] >= 0 ? roots[entry] : entry;
      if (numberOfRoot[root] < 0) numberOfRoot[root] = chains++;
      numbers[entry] = numberOfRoot[root];
    }
    return groupChains({ count, chains, numbers, bytes: packedSizes, links: depths, base: 0 });
  });
}

/** Some revisions of a chain, in the order they are stored. */
export function membersOf(chains: StoredChains, chain: number, most: number): number[] {
  const { members, starts } = chains;
  return [...members.subarray(starts[chain], Math.min(starts[chain + 1], starts[chain] + most))];
}

/** How many revisions a chain has. */
export function memberCount({ starts }: StoredChains, chain: number): number {
  return starts[chain + 1] - starts[chain];
}

/** The chain that a revision belongs to, and its place in it. */
export function placeOf(chains: StoredChains, rev: number): { chain: number; position: number } | undefined {
  for (let chain = 0; chain < chains.count; chain++) {
    const position = chains.members.subarray(chains.starts[chain], chains.starts[chain + 1]).indexOf(rev);
    if (position >= 0) return { chain, position };
  }
  return undefined;
}

interface Chained {
  count: number;
  chains: number;
  /** The chain of each revision. */
  numbers: Int32Array;
  bytes: ArrayLike<number>;
  /** How long the chain of each revision is, a whole text being `base`. */
  links: ArrayLike<number>;
  base: number;
}

/** Sorts millions of revisions into their chains by counting: three passes without an object for any of them. */
function groupChains({ count, chains, numbers, bytes, links, base }: Chained): StoredChains {
  const starts = new Int32Array(chains + 1);
  const sizes = new Float64Array(chains);
  const longest = new Int32Array(chains);
  for (let rev = 0; rev < count; rev++) {
    const chain = numbers[rev];
    starts[chain + 1]++;
    sizes[chain] += bytes[rev];
    longest[chain] = Math.max(longest[chain], links[rev] - base);
  }
  for (let chain = 0; chain < chains; chain++) starts[chain + 1] += starts[chain];
  const next = starts.slice(0, chains);
  const members = new Int32Array(count);
  for (let rev = 0; rev < count; rev++) members[next[numbers[rev]]++] = rev;
  const bySize = Int32Array.from({ length: chains }, (_, chain) => chain);
  bySize.sort((one, other) => sizes[other] - sizes[one] || one - other);
  return { count: chains, bySize, bytes: sizes, longest, starts, members };
}

function once(columns: object, work: () => StoredChains): StoredChains {
  let chains = known.get(columns);
  if (chains === undefined) known.set(columns, (chains = work()));
  return chains;
}
