import type { Numbers } from '../../protocol/chainReport';

/** The counters of so many bits fit into the first cache of a processor. */
const digitBits = 11;
const digitCount = 1 << digitBits;
const digitsOfWord = Math.ceil(32 / digitBits);

/**
 * Puts rows in the order of their values, those of equal values in the order that they had. A radix sort, low digits first:
 * a comparing sort of a million rows takes most of a second (see the end-to-end test that measures both sorting and
 * filtering on the screen).
 */
export function sortRows(rows: Uint32Array, values: Numbers, descending: boolean): Uint32Array {
  const count = rows.length;
  // The places of rows move; their keys stay where they are, by their place in `rows`.
  let places = new Uint32Array(count);
  let spare = new Uint32Array(count);
  for (let at = 0; at < count; at++) places[at] = at;
  for (const word of keyWords(rows, values, descending)) {
    const starts = digitStarts(word);
    for (let digit = 0; digit < digitsOfWord; digit++) {
      const next = starts[digit];
      if (next === undefined) continue;
      const shift = digit * digitBits;
      for (let at = 0; at < count; at++) {
        const place = places[at];
        spare[next[(word[place] >>> shift) & (digitCount - 1)]++] = place;
      }
      [places, spare] = [spare, places];
    }
  }
  for (let at = 0; at < count; at++) spare[at] = rows[places[at]];
  return spare;
}

/** Where the first row with each value of each digit goes; nothing for a digit that is the same in all rows. */
function digitStarts(word: Uint32Array): (Uint32Array | undefined)[] {
  const counts = Array.from({ length: digitsOfWord }, () => new Uint32Array(digitCount));
  for (const key of word) {
    for (let digit = 0; digit < digitsOfWord; digit++)
      counts[digit][(key >>> (digit * digitBits)) & (digitCount - 1)]++;
  }
  return counts.map((ofDigit) => {
    let start = 0;
    for (let value = 0; value < digitCount; value++) {
      const count = ofDigit[value];
      if (count === word.length) return undefined;
      ofDigit[value] = start;
      start += count;
    }
    return ofDigit;
  });
}

/** Keys that order as the values do when they are compared as numbers without a sign: low word first. */
function keyWords(rows: Uint32Array, values: Numbers, descending: boolean): Uint32Array[] {
  const flip = descending ? 0xffff_ffff : 0;
  const count = rows.length;
  const low = new Uint32Array(count);
  if (!(values instanceof Float64Array)) {
    const bias = (values instanceof Int32Array ? 0x8000_0000 : 0) ^ flip;
    for (let at = 0; at < count; at++) low[at] = values[rows[at]] ^ bias;
    return [low];
  }
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  const high = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const place = rows[at] * 2;
    // A number without a sign bit comes after all that have one, and those are the other way round.
    const mask = -(bits[place + 1] >>> 31);
    low[at] = bits[place] ^ mask ^ flip;
    high[at] = bits[place + 1] ^ (mask | 0x8000_0000) ^ flip;
  }
  return [low, high];
}
