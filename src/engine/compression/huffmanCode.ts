import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import type { BitInput } from './bitInput';

/** The longest code that bzip2 has. */
export const longestCode = 20;

/** A canonical Huffman code: shorter codes first, and by symbol among those of one length. */
export class HuffmanCode {
  /** By length: the first value of 20 bits that belongs to a longer code. */
  private readonly limits = new Uint32Array(longestCode + 2);
  /** By length: what leads from a code to its place among the symbols. */
  private readonly offsets = new Int32Array(longestCode + 1);
  private readonly symbols: Uint16Array;
  private readonly shortest: number;

  /** @param lengths of the symbols' codes, 1 to 20 @throws `corrupt` when there is no such code */
  constructor(lengths: Uint8Array) {
    this.symbols = new Uint16Array(lengths.length);
    let code = 0;
    let place = 0;
    let shortest = 0;
    for (let length = 1; length <= longestCode; length++) {
      const first = place;
      this.offsets[length] = first - code;
      for (let symbol = 0; symbol < lengths.length; symbol++)
        if (lengths[symbol] === length) this.symbols[place++] = symbol;
      if (place > first && shortest === 0) shortest = length;
      code += place - first;
      if (code > 1 << length) throw corruptError(l10n.t('a table has more codes than there can be'));
      this.limits[length] = code << (longestCode - length);
      code <<= 1;
    }
    this.shortest = shortest;
  }

  /** Takes the next symbol. */
  read(input: BitInput): number {
    const bits = input.peek(longestCode);
    for (let length = this.shortest; length <= longestCode; length++) {
      if (bits < this.limits[length]) {
        input.skip(length);
        return this.symbols[this.offsets[length] + (bits >>> (longestCode - length))];
      }
    }
    throw corruptError(l10n.t('a code stands for nothing'));
  }
}
