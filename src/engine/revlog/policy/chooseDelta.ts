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

/**
 * Beyond this part of the text, a delta is compared with the whole text, compressed; of a long text, which costs more to
 * compress, beyond a larger part.
 */
const largePart = 1 / 32;
const largePartOfLong = 1 / 8;
const longText = 64 * 1024;

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
    const part = question.textLength > longText ? largePartOfLong : largePart;
    if (!settings.comparesWhole || best.chunk.length <= question.textLength * part) return best;
    const whole = question.wholeChunk();
    return whole.length <= best.chunk.length ? { base: -1, chunk: whole } : best;
  }
  return { base: -1, chunk: question.wholeChunk() };
}
