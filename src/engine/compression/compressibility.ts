import { deflateSync } from 'node:zlib';

const sampleSize = 16 * 1024;
const sampleCount = 4;
/** Content that does not lose three in a hundred is not worth its deflating. */
const worthwhile = 0.97;

/**
 * Whether deflate would make `content` notably smaller, from a few samples over its whole length. Deflating 320 MiB of
 * random bytes costs eight seconds and gains nothing; looking first costs half a millisecond.
 *
 * @param samples how many to look at, at most, each of 16 KiB
 */
export function isCompressible(content: Uint8Array, samples = sampleCount): boolean {
  if (content.length <= sampleSize * samples) return shrinks(content);
  const stride = Math.floor((content.length - sampleSize) / Math.max(1, samples - 1));
  for (let sample = 0; sample < samples; sample++) {
    if (shrinks(content.subarray(sample * stride, sample * stride + sampleSize))) return true;
  }
  return false;
}

function shrinks(bytes: Uint8Array): boolean {
  return deflateSync(bytes, { level: 1 }).length < bytes.length * worthwhile;
}

/** Up to this size deflating is cheaper than asking whether it is worth it. */
export const alwaysDeflated = 32 * 1024;

/** The level to deflate with: the one asked for, or 0 for content that stays as large as it is. */
export function levelFor(content: Uint8Array, level: number): number {
  return content.length <= alwaysDeflated || isCompressible(content) ? level : 0;
}
