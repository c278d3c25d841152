import { corruptError } from '../io/errors';

/**
 * A text put together from pieces of a base and of the deltas on top of it. A chain of hundreds of deltas moves bounds
 * about, and copies bytes only once, at the end: without that a manifest of a megabyte with 700 deltas would be copied 700
 * times.
 */
export class TextPieces {
  private readonly sources: Uint8Array[];
  /** Three numbers a piece: source, start, end. */
  private pieces: number[];
  private length: number;

  constructor(
    base: Uint8Array,
    private readonly subject: string,
  ) {
    this.sources = [base];
    this.pieces = base.length === 0 ? [] : [0, 0, base.length];
    this.length = base.length;
  }

  /**
   * Applies a delta: hunks of start, end and length (4 bytes each, big-endian) and that many bytes, which replace what is
   * between start and end. Hunks are in order and do not overlap.
   *
   * @throws `corrupt` when they are not, or leave the text
   * @see `hg help internals.revlogs`
   */
  apply(delta: Uint8Array): void {
    const source = this.sources.push(delta) - 1;
    const view = new DataView(delta.buffer, delta.byteOffset, delta.length);
    const old = this.pieces;
    const next: number[] = [];
    let length = this.length;
    let piece = 0;
    let passed = 0; // How much of the old text comes before `piece`.
    let at = 0; // How much of the old text has been dealt with.
    const keepUntil = (end: number): void => {
      while (at < end) {
        const pieceLength = old[piece + 2] - old[piece + 1];
        const from = old[piece + 1] + at - passed;
        const take = Math.min(end - at, pieceLength - (at - passed));
        next.push(old[piece], from, from + take);
        at += take;
        if (at - passed === pieceLength) {
          passed += pieceLength;
          piece += 3;
        }
      }
    };
    for (let offset = 0; offset < delta.length;) {
      if (offset + 12 > delta.length) throw this.malformed(offset);
      const start = view.getUint32(offset);
      const end = view.getUint32(offset + 4);
      const added = view.getUint32(offset + 8);
      if (start < at || end < start || end > this.length || offset + 12 + added > delta.length)
        throw this.malformed(offset);
      keepUntil(start);
      if (added > 0) next.push(source, offset + 12, offset + 12 + added);
      while (piece < old.length && passed + old[piece + 2] - old[piece + 1] <= end) {
        passed += old[piece + 2] - old[piece + 1];
        piece += 3;
      }
      at = end;
      length += added - (end - start);
      offset += 12 + added;
    }
    keepUntil(this.length);
    this.pieces = next;
    this.length = length;
  }

  /** The text. @throws `corrupt` when it is not `expected` bytes long */
  join(expected: number): Uint8Array {
    if (this.length !== expected) {
      throw corruptError(`${this.subject} comes to ${this.length} bytes; ${expected} were promised.`, {
        subject: this.subject,
      });
    }
    if (this.sources.length === 1) return this.sources[0];
    const text = Buffer.allocUnsafe(this.length);
    let filled = 0;
    for (let piece = 0; piece < this.pieces.length; piece += 3) {
      const [source, start, end] = [this.pieces[piece], this.pieces[piece + 1], this.pieces[piece + 2]];
      text.set(this.sources[source].subarray(start, end), filled);
      filled += end - start;
    }
    return text;
  }

  private malformed(offset: number): Error {
    return corruptError(`A delta of ${this.subject} has a hunk that cannot be, at offset ${offset}.`, {
      subject: this.subject,
      offset,
    });
  }
}
