import { chunkKinds, type ChunkKind } from '../compression/block';
import { deltaTypes, linearDistance, noLevel, type ChainColumns, type DeltaType } from './chainColumns';

/** Smallest, largest and sum of some sizes, in bytes. */
export interface SizeRange {
  count: number;
  smallest: number;
  largest: number;
  total: number;
}

/** A number of revisions, and the bytes of their chunks. */
export interface Share {
  revisions: number;
  bytes: number;
}

/** A revlog in numbers: what `hg debugrevlog` says, and the delta types. */
export interface ChainSummary {
  path: string;
  revisions: number;
  merges: number;
  isInline: boolean;
  isGeneraldelta: boolean;
  /** Chunks without bytes: of empty texts, and of deltas that change nothing. */
  emptyTexts: number;
  emptyDeltas: number;
  /** Snapshots with bytes, by level; level 0 is whole texts. */
  snapshots: Share[];
  /** Deltas with bytes that are no snapshots. */
  deltas: Share;
  /** Bytes of all chunks, and of all texts. */
  chunkBytes: number;
  textBytes: number;
  /** By kind of chunk; undefined where chunks were not looked at. */
  kinds?: Partial<Record<ChunkKind, Share>>;
  /** By type of delta. */
  types: Partial<Record<DeltaType, Share>>;
  /** How many deltas are applied to build a text. */
  meanChainLength: number;
  longestChain: number;
  /** The most bytes from the first chunk of a chain to the end of its last. */
  longestReach: number;
  texts: SizeRange;
  wholeTexts: SizeRange;
  /** Snapshots that are deltas, all together and by level; the first level is 1. */
  intermediateSnapshots: SizeRange;
  snapshotLevels: SizeRange[];
  deltaSizes: SizeRange;
  /** Of the deltas with bytes that are no snapshots. */
  against: {
    previous: { isP1: number; isP2: number; isOther: number };
    p1: number;
    p2: number;
    other: number;
  };
}

/** Sums up the columns of a revlog, in one pass. */
export function summarizeChains(columns: ChainColumns): ChainSummary {
  const { count, chunkLengths, chainLengths, deltaParents, kinds, levels, p1s, p2s, textLengths, types } = columns;
  const summary = emptySummary(columns);
  const { against, texts, wholeTexts, intermediateSnapshots, snapshotLevels, deltaSizes } = summary;
  const shareOfKind = chunkKinds.map(() => newShare());
  const shareOfType = deltaTypes.map(() => newShare());
  let lengthSum = 0;
  for (let rev = 0; rev < count; rev++) {
    const bytes = chunkLengths[rev];
    const parent = deltaParents[rev];
    if (p2s[rev] !== -1) summary.merges++;
    lengthSum += chainLengths[rev] - 1;
    summary.longestChain = Math.max(summary.longestChain, chainLengths[rev] - 1);
    summary.longestReach = Math.max(summary.longestReach, linearDistance(columns, rev));
    addSize(texts, Math.max(0, textLengths[rev]));
    addShare(shareOfType[types[rev]], bytes);
    if (kinds !== undefined) addShare(shareOfKind[kinds[rev]], bytes);
    if (bytes === 0) {
      if (parent < 0) summary.emptyTexts++;
      else summary.emptyDeltas++;
      continue;
    }
    const level = levels[rev];
    if (level !== noLevel || parent < 0) {
      const counted = level === noLevel ? 0 : level;
      addShare(fillTo(summary.snapshots, counted, newShare), bytes);
      if (counted === 0) addSize(wholeTexts, bytes);
      else {
        addSize(intermediateSnapshots, bytes);
        addSize(fillTo(snapshotLevels, counted - 1, newRange), bytes);
      }
      continue;
    }
    addShare(summary.deltas, bytes);
    addSize(deltaSizes, bytes);
    if (parent === rev - 1) {
      if (parent === p1s[rev]) against.previous.isP1++;
      else if (parent === p2s[rev]) against.previous.isP2++;
      else against.previous.isOther++;
    } else if (parent === p1s[rev]) against.p1++;
    else if (parent === p2s[rev]) against.p2++;
    else against.other++;
  }
  summary.meanChainLength = count === 0 ? 0 : lengthSum / count;
  summary.textBytes = texts.total;
  summary.types = named(deltaTypes, shareOfType);
  if (kinds !== undefined) summary.kinds = named(chunkKinds, shareOfKind);
  return summary;
}

function emptySummary(columns: ChainColumns): ChainSummary {
  return {
    path: columns.path,
    revisions: columns.count,
    merges: 0,
    isInline: columns.isInline,
    isGeneraldelta: columns.isGeneraldelta,
    emptyTexts: 0,
    emptyDeltas: 0,
    snapshots: [newShare()],
    deltas: newShare(),
    chunkBytes: columns.chunkBytes,
    textBytes: 0,
    types: {},
    meanChainLength: 0,
    longestChain: 0,
    longestReach: 0,
    texts: newRange(),
    wholeTexts: newRange(),
    intermediateSnapshots: newRange(),
    snapshotLevels: [],
    deltaSizes: newRange(),
    against: { previous: { isP1: 0, isP2: 0, isOther: 0 }, p1: 0, p2: 0, other: 0 },
  };
}

function newShare(): Share {
  return { revisions: 0, bytes: 0 };
}

function newRange(): SizeRange {
  return { count: 0, smallest: 0, largest: 0, total: 0 };
}

function addShare(share: Share, bytes: number): void {
  share.revisions++;
  share.bytes += bytes;
}

function addSize(range: SizeRange, bytes: number): void {
  range.smallest = range.count === 0 ? bytes : Math.min(range.smallest, bytes);
  range.largest = Math.max(range.largest, bytes);
  range.total += bytes;
  range.count++;
}

/** The member at `position` of a list that grows as far as it is asked. */
function fillTo<T>(list: T[], position: number, fresh: () => T): T {
  while (list.length <= position) list.push(fresh());
  return list[position];
}

/** The shares that are not empty, by name. */
function named<Name extends string>(names: readonly Name[], shares: Share[]): Partial<Record<Name, Share>> {
  const result: Partial<Record<Name, Share>> = {};
  shares.forEach((share, position) => {
    if (share.revisions > 0) result[names[position]] = share;
  });
  return result;
}
