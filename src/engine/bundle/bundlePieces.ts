import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, openSync, readSync, readvSync } from 'node:fs';
import { corruptError } from '../io/errors';

/** Bytes of a file that go into a bundle as they are: so many from its beginning. */
export interface FileStretch {
  path: string;
  length: number;
  /** What the file system calls the file: another one in its place is refused. */
  inode?: number;
  /** A file that is open already, and stays so. */
  file?: number;
}

/**
 * What a bundle is made of: bytes, stretches of files, and marks. Between `payload` and `end` bytes are divided into chunks
 * with their length before them; `interrupt` ends such a stretch for good, with the mark after which a part may follow
 * that tells why.
 */
export type BundlePiece = Uint8Array | FileStretch | 'payload' | 'end' | 'interrupt';

/** The chunks that payloads are divided into, as Mercurial divides them. */
export const payloadChunk = 32 * 1024;
const frame = 4;

/** Bytes of memory that hold `chunks` whole chunks, and something beside them. */
export const slabLength = (chunks: number) => chunks * (payloadChunk + frame) + payloadChunk;

/**
 * Packs the pieces of a bundle into slabs, as few bytes copied as can be: files are read to where they are sent from.
 *
 * @param takeSlab gives memory of {@link slabLength}; what was given before is done with by then
 * @returns filled slabs, each valid until the next is asked for
 * @throws `corrupt` for a file that is shorter than it was, or another one
 */
export function* packPieces(pieces: Iterable<BundlePiece>, takeSlab: () => Buffer): Generator<Uint8Array> {
  let slab = takeSlab();
  let filled = 0;
  let isFramed = false;
  /** Where the length of the open chunk belongs; -1 when there is none. */
  let head = -1;
  const closeChunk = () => {
    if (head >= 0) slab.writeUInt32BE(filled - head - frame, head);
    head = -1;
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      closeChunk();
      isFramed = piece === 'payload';
      if (isFramed) continue;
      if (filled + frame > slab.length) {
        yield slab.subarray(0, filled);
        slab = takeSlab();
        filled = 0;
      }
      slab.writeInt32BE(piece === 'end' ? 0 : -1, filled);
      filled += frame;
      continue;
    }
    using source = piece instanceof Uint8Array ? new BytesSource(piece) : new FileSource(piece);
    while (source.left > 0) {
      const isOpen = isFramed && head >= 0 && filled < head + frame + payloadChunk;
      if (!isOpen) {
        closeChunk();
        if (filled + (isFramed ? frame + payloadChunk : 1) > slab.length) {
          yield slab.subarray(0, filled);
          slab = takeSlab();
          filled = 0;
        }
        if (isFramed) {
          head = filled;
          filled += frame;
        }
      }
      if (!isFramed) {
        filled += source.read([slab.subarray(filled, filled + source.left)]);
        continue;
      }
      // As many chunks as there is room for, with one call.
      const rooms = [slab.subarray(filled, Math.min(head + frame + payloadChunk, filled + source.left))];
      for (let wanted = source.left - rooms[0].length, at = head + frame + payloadChunk; wanted > 0;) {
        if (at + frame + payloadChunk > slab.length) break;
        slab.writeUInt32BE(payloadChunk, head);
        head = at;
        rooms.push(slab.subarray(at + frame, at + frame + Math.min(payloadChunk, wanted)));
        wanted -= rooms[rooms.length - 1].length;
        at += frame + payloadChunk;
      }
      source.read(rooms);
      const last = rooms[rooms.length - 1];
      filled = last.byteOffset - slab.byteOffset + last.length;
    }
  }
  closeChunk();
  if (filled > 0) yield slab.subarray(0, filled);
}

class BytesSource implements Disposable {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  read(rooms: readonly Uint8Array[]): number {
    const before = this.at;
    for (const room of rooms) {
      room.set(
        this.at === 0 && room.length === this.bytes.length
          ? this.bytes
          : this.bytes.subarray(this.at, this.at + room.length),
      );
      this.at += room.length;
    }
    return this.at - before;
  }

  [Symbol.dispose](): void {
    // Nothing is held.
  }
}

class FileSource implements Disposable {
  private readonly file: number;
  private at = 0;

  constructor(private readonly stretch: FileStretch) {
    if (stretch.file !== undefined) {
      this.file = stretch.file;
      return;
    }
    this.file = openSync(stretch.path, 'r');
    if (stretch.inode === undefined || fstatSync(this.file).ino === stretch.inode) return;
    closeSync(this.file);
    throw this.changed();
  }

  get left(): number {
    return this.stretch.length - this.at;
  }

  /** Fills all of the rooms. */
  read(rooms: readonly Uint8Array[]): number {
    const wanted = rooms.reduce((sum, room) => sum + room.length, 0);
    let count =
      rooms.length === 1 ? readSync(this.file, rooms[0], 0, wanted, this.at) : readvSync(this.file, rooms, this.at);
    if (count < wanted) {
      // Interrupted, or at the end of the file: what is left comes room by room.
      for (let before = 0, index = 0; index < rooms.length; before += rooms[index++].length) {
        for (let at = Math.max(0, count - before); at < rooms[index].length;) {
          const more = readSync(this.file, rooms[index], at, rooms[index].length - at, this.at + count);
          if (more === 0) throw this.changed();
          count += more;
          at += more;
        }
      }
    }
    this.at += count;
    return count;
  }

  [Symbol.dispose](): void {
    if (this.stretch.file === undefined) closeSync(this.file);
  }

  private changed(): Error {
    const { path } = this.stretch;
    return corruptError(l10n.t('{0} was replaced while it was sent.', path), {
      subject: path,
      advice: l10n.t('Try again.'),
    });
  }
}
