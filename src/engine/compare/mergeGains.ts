import type { ChainState } from '../revlog/policy/chainState';
import type { SizedRevlog } from './shares';

/** A merge that takes fewer bytes with both parents looked at. */
export interface MergeGain {
  /** The revlog, as people know it, and the path of its index. */
  revlog: string;
  index: string;
  rev: number;
  p1: number;
  p2: number;
  /** What it is a delta against, now and then: a revision, or -1 when it is stored whole. */
  baseBefore: number;
  baseAfter: number;
  /** Bytes of its chunk. */
  before: number;
  after: number;
}

const mostGains = 20;

/** The merges of a revlog that gain most. */
export function gainsOf({ name, path }: SizedRevlog, now: ChainState, both: ChainState): MergeGain[] {
  const gaining: number[] = [];
  for (let rev = 0; rev < now.length; rev++) {
    if (now.p2s[rev] >= 0 && both.chunkLengths[rev] < now.chunkLengths[rev]) gaining.push(rev);
  }
  const gain = (rev: number) => now.chunkLengths[rev] - both.chunkLengths[rev];
  return gaining
    .sort((one, other) => gain(other) - gain(one))
    .slice(0, mostGains)
    .map((rev) => ({
      revlog: name,
      index: path,
      rev,
      p1: now.p1s[rev],
      p2: now.p2s[rev],
      baseBefore: now.bases[rev],
      baseAfter: both.bases[rev],
      before: now.chunkLengths[rev],
      after: both.chunkLengths[rev],
    }));
}

/** Those of several revlogs that gain most, the largest gain first. */
export function mostGaining(gains: readonly MergeGain[]): MergeGain[] {
  return [...gains].sort((one, other) => other.before - other.after - (one.before - one.after)).slice(0, mostGains);
}
