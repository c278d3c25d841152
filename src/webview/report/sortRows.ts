import type { Numbers } from '../../protocol/chainReport';

const digits = 1 << 16;

/**
 * Puts rows in the order of their values, those of equal values in the order that they had. A radix sort over 16 bits at
 * a time: a million rows take some 30 ms, where a comparing sort takes most of a second (see the end-to-end test that
 * measures both sorting and filtering on the screen).
 */
export function sortRows(rows: Uint32Array, values: Numbers, descending: boolean): Uint32Array {
  const words = keyWords(rows, values, descending);
  let from = rows.slice();
  let to = new Uint32Array(rows.length);
  // The places of rows move; their keys stay where they are, by their place in `rows`.
  let places = Uint32Array.from({ length: rows.length }, (_, place) => place);
  let nextPlaces = new Uint32Array(rows.length);
  const starts = new Uint32Array(digits);
  for (const word of words) {
    for (const shift of [0, 16]) {
      starts.fill(0);
      for (const key of word) starts[(key >>> shift) & 0xffff]++;
      if (starts.some((count) => count === rows.length)) continue;
      let start = 0;
      for (let digit = 0; digit < digits; digit++) {
        const count = starts[digit];
        starts[digit] = start;
        start += count;
      }
      for (let at = 0; at < places.length; at++) {
        const place = places[at];
        const target = starts[(word[place] >>> shift) & 0xffff]++;
        nextPlaces[target] = place;
        to[target] = from[at];
      }
      [places, nextPlaces] = [nextPlaces, places];
      [from, to] = [to, from];
    }
  }
  return from;
}

/** Keys that order as the values do when they are compared as numbers without a sign: low word first. */
function keyWords(rows: Uint32Array, values: Numbers, descending: boolean): Uint32Array[] {
  const flip = descending ? 0xffff_ffff : 0;
  const count = rows.length;
  if (!(values instanceof Float64Array)) {
    const bias = values instanceof Int32Array ? 0x8000_0000 : 0;
    const keys = new Uint32Array(count);
    for (let at = 0; at < count; at++) keys[at] = (values[rows[at]] ^ bias ^ flip) >>> 0;
    return [keys];
  }
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  const low = new Uint32Array(count);
  const high = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const place = rows[at] * 2;
    // A number without a sign bit comes after all that have one, and those are the other way round.
    const mask = bits[place + 1] >>> 31 === 1 ? 0xffff_ffff : 0;
    low[at] = (bits[place] ^ mask ^ flip) >>> 0;
    high[at] = (bits[place + 1] ^ (mask | 0x8000_0000) ^ flip) >>> 0;
  }
  return [low, high];
}
