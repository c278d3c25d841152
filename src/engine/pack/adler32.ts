/** The largest prime below 65,536 (RFC 1950, section 8.2). */
const modulus = 65_521;

/** The Adler-32 checksum of a few bytes (RFC 1950): too slow for many. */
export function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % modulus;
    high = (high + low) % modulus;
  }
  return high * 65_536 + low;
}

/**
 * The checksum of two runs of bytes, one after the other, from their own: every byte of the second run adds the first
 * run's low half to the high half once more, so the second run's length is all that is needed.
 */
export function combineAdler32(first: number, second: number, secondLength: number): number {
  const firstLow = first % 65_536;
  const secondLow = second % 65_536;
  const low = (firstLow + secondLow + modulus - 1) % modulus;
  const repeated = ((secondLength % modulus) * ((firstLow + modulus - 1) % modulus)) % modulus;
  const high = (Math.floor(first / 65_536) + Math.floor(second / 65_536) + repeated) % modulus;
  return high * 65_536 + low;
}
