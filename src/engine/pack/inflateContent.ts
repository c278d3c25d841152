import type { Operation } from '../io/operation';
import { ContentFile, type Content } from './content';
import { inflateInWindow, inflateStreamed, largestInWindow, packedBound, packedLength } from './inflateEntry';
import type { PackWindow } from './packWindow';

/** Where content goes that is too large for memory, and what stops its reading. */
export interface ReadingLimits {
  /** Bytes up to which content is held in memory. */
  inMemory: number;
  /** The folder for temporary files. */
  scratch: string;
  operation: Pick<Operation, 'signal'>;
}

/**
 * Inflates an object or delta of `size` bytes at the window's position and moves the window past it: into memory, or
 * into a temporary file when it is too large for that.
 *
 * @param options `skipped`: bytes before the content that belong to the same zlib stream. `packed`: is given the zlib
 *   stream itself as it is used.
 * @throws `corrupt` with the entry's offset when the stream is not sound, or not of this size.
 */
export async function inflateContent(
  window: PackWindow,
  size: number,
  entryOffset: number,
  limits: ReadingLimits,
  options: { skipped?: number; packed?: (bytes: Uint8Array) => void } = {},
): Promise<Content> {
  const { skipped = 0, packed = () => undefined } = options;
  const inflatedSize = size + skipped;
  if (size <= limits.inMemory && inflatedSize <= largestInWindow) {
    await window.fill(packedBound(inflatedSize));
    const bytes = inflateInWindow(window, inflatedSize, entryOffset);
    if (bytes !== undefined) {
      packed(window.buffer.subarray(window.at, window.at + packedLength));
      window.at += packedLength;
      return bytes.subarray(skipped);
    }
  }
  const target = size <= limits.inMemory ? new GrowingBytes(size) : new ContentFile(limits.scratch);
  let toSkip = skipped;
  const content = (bytes: Uint8Array) => {
    const cut = Math.min(toSkip, bytes.length);
    toSkip -= cut;
    target.append(bytes.subarray(cut));
  };
  try {
    await inflateStreamed(window, inflatedSize, entryOffset, { content, packed }, limits.operation);
  } catch (error) {
    if (target instanceof ContentFile) target[Symbol.dispose]();
    throw error;
  }
  return target instanceof ContentFile ? target : target.bytes;
}

/** Bytes that are gathered in memory, of which about so many are expected. */
export class GrowingBytes {
  private room: Uint8Array;
  private filled = 0;

  constructor(expected: number) {
    this.room = new Uint8Array(expected);
  }

  get bytes(): Uint8Array {
    return this.room.subarray(0, this.filled);
  }

  append(bytes: Uint8Array): void {
    const needed = this.filled + bytes.length;
    if (needed > this.room.length) {
      const larger = new Uint8Array(Math.max(needed, this.room.length * 2));
      larger.set(this.room.subarray(0, this.filled));
      this.room = larger;
    }
    this.room.set(bytes, this.filled);
    this.filled = needed;
  }
}
