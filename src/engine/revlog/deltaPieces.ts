import { corruptError } from '../io/errors';

/** The source of pieces that come from the text which the deltas are applied to. */
const fromBase = -1;
const hunkHead = 12;
const longestText = 0x7fff_ffff;
/** Below this, a loop is quicker than a call. */
const shortPiece = 16;

/**
 * How a text is put together: numbers in threes, of a source (a delta's, or the base text), a start and a length. Pieces
 * from the base come in its order.
 */
interface Recipe {
  pieces: Int32Array;
  /** How many numbers of `pieces` count. */
  used: number;
  /** How many leaves were folded into this one, for balance. */
  weight: number;
}

/**
 * The deltas of a chain as one. Each is parsed to a recipe of pieces, and neighbours are folded into one recipe like
 * players of a tournament, so that a chain of n deltas with h hunks in all costs O(h log n), and bytes of texts are
 * copied once, at the end: a manifest of megabytes under 700 deltas would be copied 700 times otherwise.
 *
 * A delta is hunks of start, end and length, 4 bytes each, big-endian, with `length` bytes that replace what is between
 * `start` and `end`; in order, without overlap.
 *
 * @see `hg help internals.revlogs`, `hg help internals.changegroups`
 */
export class DeltaPieces {
  private readonly sources: Buffer[] = [];
  private readonly folded: Recipe[] = [];
  /** Bytes of the deltas that wait to be applied. */
  bytesHeld = 0;
  /** Bytes of the text after all deltas so far. */
  private length: number;

  constructor(private readonly base: Uint8Array) {
    this.length = base.length;
  }

  /**
   * Takes the next delta of the chain, without a copy: its memory must stay as it is until {@link apply}.
   * @throws `corrupt` when its hunks are cut short, out of order, or leave the text
   */
  add(delta: Uint8Array, subject: string): void {
    this.bytesHeld += delta.length;
    const source = this.sources.push(asBuffer(delta)) - 1;
    this.folded.push(this.parse(source, subject));
    for (let last = this.folded.length - 1; last > 0; last--) {
      if (this.folded[last - 1].weight > this.folded[last].weight) break;
      this.folded[last - 1] = fold(this.folded[last - 1], this.folded[last]);
      this.folded.pop();
    }
  }

  /** The text after all deltas, in memory of its own unless there was none. */
  apply(): Uint8Array {
    if (this.sources.length === 0) return this.base;
    while (this.folded.length > 1) {
      const last = this.folded.length - 1;
      this.folded[last - 1] = fold(this.folded[last - 1], this.folded[last]);
      this.folded.pop();
    }
    const { pieces, used } = this.folded[0];
    const text = Buffer.allocUnsafe(this.length);
    const base = asBuffer(this.base);
    let filled = 0;
    for (let at = 0; at < used; at += 3) {
      const source = pieces[at] === fromBase ? base : this.sources[pieces[at]];
      const start = pieces[at + 1];
      const length = pieces[at + 2];
      if (length < shortPiece) for (let byte = 0; byte < length; byte++) text[filled + byte] = source[start + byte];
      else source.copy(text, filled, start, start + length);
      filled += length;
    }
    return text;
  }

  private parse(source: number, subject: string): Recipe {
    const delta = this.sources[source];
    const pieces = new Int32Array((countHunks(delta) * 2 + 1) * 3);
    let used = 0;
    let kept = 0; // Up to where the text before has been dealt with.
    let length = 0;
    for (let at = 0; at < delta.length;) {
      if (at + hunkHead > delta.length) throw malformed(subject, at);
      const start = delta.readUInt32BE(at);
      const end = delta.readUInt32BE(at + 4);
      const added = delta.readUInt32BE(at + 8);
      at += hunkHead;
      if (start < kept || end < start || end > this.length || added > delta.length - at) {
        throw malformed(subject, at - hunkHead);
      }
      if (start > kept) used = push(pieces, used, fromBase, kept, start - kept);
      if (added > 0) used = push(pieces, used, source, at, added);
      length += start - kept + added;
      kept = end;
      at += added;
    }
    if (this.length > kept) used = push(pieces, used, fromBase, kept, this.length - kept);
    length += this.length - kept;
    if (length > longestText) throw malformed(subject, 0);
    this.length = length;
    return { pieces, used, weight: 1 };
  }
}

/** The recipe that does at once what `first` and then `second` do. */
function fold(first: Recipe, second: Recipe): Recipe {
  const old = first.pieces;
  const next = second.pieces;
  const pieces = new Int32Array(first.used + second.used);
  let used = 0;
  let piece = 0; // Of `first`.
  let passed = 0; // How much of what `first` makes comes before `piece`.
  for (let at = 0; at < second.used; at += 3) {
    const start = next[at + 1];
    const length = next[at + 2];
    if (next[at] !== fromBase) {
      used = push(pieces, used, next[at], start, length);
      continue;
    }
    const end = start + length;
    while (passed + old[piece + 2] <= start) {
      passed += old[piece + 2];
      piece += 3;
    }
    for (let from = start; from < end;) {
      const skipped = from - passed;
      const taken = Math.min(end - from, old[piece + 2] - skipped);
      used = push(pieces, used, old[piece], old[piece + 1] + skipped, taken);
      from += taken;
      if (skipped + taken === old[piece + 2]) {
        passed += old[piece + 2];
        piece += 3;
      }
    }
  }
  return { pieces, used, weight: first.weight + second.weight };
}

/** Adds a piece, to the one before where it goes on. */
function push(pieces: Int32Array, used: number, source: number, start: number, length: number): number {
  if (used > 0 && pieces[used - 3] === source && pieces[used - 2] + pieces[used - 1] === start) {
    pieces[used - 1] += length;
    return used;
  }
  pieces[used] = source;
  pieces[used + 1] = start;
  pieces[used + 2] = length;
  return used + 3;
}

function countHunks(delta: Buffer): number {
  let count = 0;
  for (let at = 0; at + hunkHead <= delta.length; count++) at += hunkHead + delta.readUInt32BE(at + 8);
  return count;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function malformed(subject: string, offset: number): Error {
  return corruptError(`${subject} is a delta with a hunk that cannot be, at ${offset}.`, { subject, offset });
}
