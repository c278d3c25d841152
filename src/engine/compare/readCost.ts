import { existsSync } from 'node:fs';
import type { Rev } from '../revlog/node';
import { Revlog } from '../revlog/revlog';
import type { RevlogPaths } from '../revlog/revlogFiles';

const sampled = 100;
const rounds = 3;

/** What reading a revlog takes, as measured; milliseconds. */
export interface ReadCost {
  /** The last text, with nothing read before. */
  tip: number;
  /** One of 100 random texts, each with nothing read before, on average. */
  random: number;
}

/**
 * Reads the last text and 100 random ones, the same in each revlog of a length, each with a fresh reader, and tells what
 * that takes: the best of three rounds, since other programs run too.
 */
export function readCost(paths: RevlogPaths): ReadCost | undefined {
  if (!existsSync(paths.index)) return undefined;
  const length = lengthOf(paths);
  if (length === 0) return undefined;
  const revs = Array.from({ length: Math.min(sampled, length) }, (_, at) => pseudoRandomBelow(at, length));
  let best = { tip: Infinity, random: Infinity };
  for (let round = 0; round < rounds; round++) {
    const tip = read(paths, length - 1);
    const random = revs.reduce((sum, rev) => sum + read(paths, rev), 0) / revs.length;
    best = { tip: Math.min(best.tip, tip), random: Math.min(best.random, random) };
  }
  return best;
}

function read({ index, chunks }: RevlogPaths, rev: number): number {
  const begun = performance.now();
  using revlog = Revlog.open(index, { chunkPath: chunks });
  revlog.rawText(rev as Rev);
  return performance.now() - begun;
}

function lengthOf({ index, chunks }: RevlogPaths): number {
  using revlog = Revlog.open(index, { chunkPath: chunks });
  return revlog.length;
}

/** Spread over all revisions, and the same each time. */
function pseudoRandomBelow(at: number, limit: number): number {
  return Math.floor(((Math.imul(at + 1, 0x9e37_79b1) >>> 0) / 2 ** 32) * limit);
}
