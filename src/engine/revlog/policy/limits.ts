import { noSnapshot, type ChainState } from './chainState';
import type { DeltaSettings } from './deltaSettings';

/** The revision that a delta would be for. */
export interface Candidacy {
  p1: number;
  p2: number;
  textLength: number;
}

/**
 * Whether a delta against `base` may be within the limits, whatever it comes to: asked first, because to make a delta
 * costs far more than to look at a chain.
 */
export function mayHoldDelta(chains: ChainState, settings: DeltaSettings, base: number, of: Candidacy): boolean {
  return isWithinLimits(chains, settings, base, 0, of);
}

/**
 * Whether a delta of `chunkLength` bytes against `base` is within the limits: no larger than the text; its chain neither
 * too long nor, in all, too many bytes for the text that is read from it; without sparse reading, not spread too far. A
 * snapshot must be smaller the deeper it lies, by half for each level, so that snapshots end where they save nothing.
 */
export function isWithinLimits(
  chains: ChainState,
  settings: DeltaSettings,
  base: number,
  chunkLength: number,
  { p1, p2, textLength }: Candidacy,
): boolean {
  const { maxChainLength, maxChainRatio, maxSpanRatio } = settings;
  if (chunkLength > textLength) return false;
  if (maxChainLength !== undefined && chains.chainLengths[base] >= maxChainLength) return false;
  if (chains.chainSizes[base] + chunkLength > textLength * maxChainRatio) return false;
  if (maxSpanRatio !== undefined) {
    const span = chains.byteLength + chunkLength - chains.offsets[chains.roots[base]];
    if (span > textLength * maxSpanRatio) return false;
  }
  const level = chains.levelOn(base, p1, p2);
  return level === noSnapshot || chunkLength <= textLength / 2 ** level;
}
