import { baseGroups } from './candidates';
import type { ChainState } from './chainState';
import type { DeltaSettings } from './deltaSettings';
import { isWithinLimits, mayHoldDelta } from './limits';

/** A revision that is to be stored, and what can be made of it. */
export interface DeltaQuestion {
  p1: number;
  p2: number;
  textLength: number;
  /** The base of a delta that came with the revision; -1 when that is a whole text, undefined when none came. */
  given?: number;
  /** The chunk of a delta against this base, as it would be stored. */
  chunkAgainst: (base: number) => Uint8Array;
  /** The chunk of the whole text. */
  wholeChunk: () => Uint8Array;
}

/** How a revision is stored. */
export interface DeltaChoice {
  /** -1 for a whole text. */
  base: number;
  chunk: Uint8Array;
}

/** A delta of no more than this part of the text is not compared with the whole text: few become that small. */
const smallPart = 1 / 32;

/**
 * Chooses how a revision is stored: as the smallest delta, by what it takes on disk, of the first group of bases that has
 * one within the limits; as a whole text where no group has one, or, where the settings want that looked at, where it is no larger.
 */
export function chooseDelta(chains: ChainState, settings: DeltaSettings, question: DeltaQuestion): DeltaChoice {
  const asked = new Set<number>();
  for (const group of baseGroups(chains, settings, question)) {
    let best: DeltaChoice | undefined;
    for (const base of group) {
      if (asked.has(base)) continue;
      asked.add(base);
      if (!mayHoldDelta(chains, settings, base, question)) continue;
      const chunk = question.chunkAgainst(base);
      if (best !== undefined && chunk.length >= best.chunk.length) continue;
      if (isWithinLimits(chains, settings, base, chunk.length, question)) best = { base, chunk };
    }
    if (best === undefined) continue;
    if (!settings.comparesWhole || isClearlyLess(chains, best, question.textLength)) return best;
    const whole = question.wholeChunk();
    return whole.length <= best.chunk.length ? { base: -1, chunk: whole } : best;
  }
  return { base: -1, chunk: question.wholeChunk() };
}

/**
 * Whether a delta takes less than the whole text would, compressed, without compressing it: that costs more than all else
 * that is done to store a delta. What the text that begins the chain came to tells what this one would come to, where it
 * is not much shorter; half of that leaves room for error.
 */
function isClearlyLess(chains: ChainState, { base, chunk }: DeltaChoice, textLength: number): boolean {
  if (chunk.length <= textLength * smallPart) return true;
  const root = chains.roots[base];
  const rootLength = chains.textLengths[root];
  return rootLength * 2 >= textLength && chunk.length * 2 * rootLength <= chains.chunkLengths[root] * textLength;
}
