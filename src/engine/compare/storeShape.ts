import { noSnapshot, type ChainState } from '../revlog/policy/chainState';

/** What a revlog, or a store, comes to when it is stored in one way. */
export interface StoreShape {
  revisions: number;
  /** Bytes of entries, and of chunks. */
  indexBytes: number;
  chunkBytes: number;
  wholeTexts: number;
  snapshots: number;
  /** Deltas that are no snapshots, by what they are against. */
  againstP1: number;
  againstP2: number;
  againstOthers: number;
  /** Chunks that the longest chain is made of, and all chains together. */
  longestChain: number;
  chainLinks: number;
  /** Bytes of the chunks of all chains together: what reading every text by itself would read. */
  chainBytes: number;
}

const entryBytes = 64;

/** The shape of one revlog. */
export function shapeOf(chains: ChainState): StoreShape {
  const { length, bases, p1s, p2s, levels, chainLengths, chainSizes } = chains;
  const shape = { ...emptyShape, revisions: length, indexBytes: length * entryBytes, chunkBytes: chains.byteLength };
  for (let rev = 0; rev < length; rev++) {
    const base = bases[rev];
    if (base < 0) shape.wholeTexts++;
    else if (levels[rev] !== noSnapshot) shape.snapshots++;
    else if (base === p1s[rev]) shape.againstP1++;
    else if (base === p2s[rev]) shape.againstP2++;
    else shape.againstOthers++;
    shape.longestChain = Math.max(shape.longestChain, chainLengths[rev]);
    shape.chainLinks += chainLengths[rev];
    shape.chainBytes += chainSizes[rev];
  }
  return shape;
}

/** Of no revlog. */
export const emptyShape: Readonly<StoreShape> = {
  revisions: 0,
  indexBytes: 0,
  chunkBytes: 0,
  wholeTexts: 0,
  snapshots: 0,
  againstP1: 0,
  againstP2: 0,
  againstOthers: 0,
  longestChain: 0,
  chainLinks: 0,
  chainBytes: 0,
};

/** Both together. */
export function addShapes(one: StoreShape, other: StoreShape): StoreShape {
  return {
    revisions: one.revisions + other.revisions,
    indexBytes: one.indexBytes + other.indexBytes,
    chunkBytes: one.chunkBytes + other.chunkBytes,
    wholeTexts: one.wholeTexts + other.wholeTexts,
    snapshots: one.snapshots + other.snapshots,
    againstP1: one.againstP1 + other.againstP1,
    againstP2: one.againstP2 + other.againstP2,
    againstOthers: one.againstOthers + other.againstOthers,
    longestChain: Math.max(one.longestChain, other.longestChain),
    chainLinks: one.chainLinks + other.chainLinks,
    chainBytes: one.chainBytes + other.chainBytes,
  };
}

/** Bytes on disk. */
export function diskBytes({ indexBytes, chunkBytes }: StoreShape): number {
  return indexBytes + chunkBytes;
}

/** Points that a curve has at most. */
const curvePoints = 400;

/** Chain lengths over revisions, thinned out: the longest chain of each stretch of revisions. */
export function chainCurve({ length, chainLengths }: ChainState): number[] {
  const points = Math.min(length, curvePoints);
  return Array.from({ length: points }, (_, point) => {
    let longest = 0;
    const end = Math.floor(((point + 1) * length) / points);
    for (let rev = Math.floor((point * length) / points); rev < end; rev++) {
      longest = Math.max(longest, chainLengths[rev]);
    }
    return longest;
  });
}
