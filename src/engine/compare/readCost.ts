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
 * Reads the last text and 100 random ones of one history as it is stored in several ways, each with a fresh reader, and
 * tells what that takes. The ways take turns, a first round is for warming up, and of the others the best counts: what else
 * the machine does must not fall on one of them.
 */
export function readCosts(ways: readonly RevlogPaths[], length: number): ReadCost[] {
  const best = ways.map((): ReadCost => ({ tip: Infinity, random: Infinity }));
  const revs = Array.from({ length: Math.min(sampled, length) }, (_, at) => pseudoRandomBelow(at, length));
  for (let round = 0; round <= rounds; round++) {
    ways.forEach((paths, way) => {
      const tip = read(paths, length - 1);
      const random = revs.reduce((sum, rev) => sum + read(paths, rev), 0) / revs.length;
      if (round === 0) return;
      best[way] = { tip: Math.min(best[way].tip, tip), random: Math.min(best[way].random, random) };
    });
  }
  return best;
}

function read({ index, chunks }: RevlogPaths, rev: number): number {
  const begun = performance.now();
  using revlog = Revlog.open(index, { chunkPath: chunks });
  revlog.rawText(rev as Rev);
  return performance.now() - begun;
}

/** Spread over all revisions, and the same each time. */
function pseudoRandomBelow(at: number, limit: number): number {
  return Math.floor(((Math.imul(at + 1, 0x9e37_79b1) >>> 0) / 2 ** 32) * limit);
}
