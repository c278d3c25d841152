import { deltaTypes, noLevel, type ChainColumns } from './chainColumns';

/** A typical delta says nothing when there are only a few. */
const fewDeltas = 8;
/** Mercurial ends a chain of this length with a new snapshot. */
const longestUsualChain = 1000;
const p1Type = deltaTypes.indexOf('p1');
const p2Type = deltaTypes.indexOf('p2');

/** Where the bytes of a revlog could probably be saved. An estimate: only writing the deltas again tells for certain. */
export interface WasteEstimate {
  /** Bytes in all. */
  total: number;
  /** In deltas of merges: much of what a merge brings is news to one parent only, and the delta is against that one. */
  merges: number;
  /** In deltas against revisions that are no parents, and no snapshots. */
  strangers: number;
  /** In whole texts, and snapshots, beyond what chains need. */
  snapshots: number;
  /** The bytes that a delta of this history usually has: the median of those against a parent that are no merges'. */
  typicalDelta: number;
}

/**
 * Estimates what writing all deltas of a revlog again would save: the bytes by which deltas of merges, deltas against
 * strangers and superfluous snapshots are larger than a usual delta of the same history.
 */
export function estimateWaste(columns: ChainColumns): WasteEstimate {
  const { count, chunkLengths, deltaParents, levels, p1s, p2s, types } = columns;
  const waste: WasteEstimate = { total: 0, merges: 0, strangers: 0, snapshots: 0, typicalDelta: typicalDelta(columns) };
  if (waste.typicalDelta < 0) return { ...waste, typicalDelta: 0 };
  let largestWhole = 0;
  let snapshotBytes = 0;
  let deltaBytes = 0;
  for (let rev = 0; rev < count; rev++) {
    const bytes = chunkLengths[rev];
    const excess = Math.max(0, bytes - waste.typicalDelta);
    const isSnapshot = deltaParents[rev] < 0 || levels[rev] !== noLevel;
    if (deltaParents[rev] < 0) largestWhole = Math.max(largestWhole, bytes);
    // A text without a parent is new: nothing else could be kept.
    if (isSnapshot) snapshotBytes += p1s[rev] < 0 ? 0 : excess;
    else {
      deltaBytes += bytes;
      if (p2s[rev] >= 0) waste.merges += excess;
      else if (types[rev] !== p1Type && types[rev] !== p2Type) waste.strangers += excess;
    }
  }
  // Chains begin with a whole text, have snapshots on the way, and end when they are long or heavy.
  const needed = largestWhole * Math.ceil(count / longestUsualChain) + deltaBytes / 2;
  waste.snapshots = Math.max(0, Math.round(snapshotBytes - needed));
  waste.total = waste.merges + waste.strangers + waste.snapshots;
  return waste;
}

/** The median size of deltas that are against their only parent; -1 when there are too few. */
function typicalDelta({ count, chunkLengths, p2s, types }: ChainColumns): number {
  const isPlain = (rev: number) => (types[rev] === p1Type || types[rev] === p2Type) && p2s[rev] < 0;
  let plain = 0;
  for (let rev = 0; rev < count; rev++) if (isPlain(rev)) plain++;
  if (plain < fewDeltas) return -1;
  const sizes = new Uint32Array(plain);
  for (let rev = 0, at = 0; rev < count; rev++) if (isPlain(rev)) sizes[at++] = chunkLengths[rev];
  return sizes.sort()[plain >> 1];
}
