import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { corruptError } from '../io/errors';

/** A gap this large costs as much to read across as another call to the system. */
const smallGap = 32 * 1024;
/** What is read with one call when it is made of many chunks. */
const longestRun = 4 << 20;

/** Where a chunk is in its file, in bytes. */
export interface ChunkPlace {
  offset: number;
  length: number;
}

/** The file beside an index that holds the chunks; opened when it is first read. */
export class ChunkFile implements Disposable {
  private file = -1;
  private size = 0;

  constructor(readonly path: string) {}

  /** Bytes of the file, when it was opened. @throws the file system's own error */
  get byteLength(): number {
    this.open();
    return this.size;
  }

  /**
   * The bytes of some chunks. Those that lie close together come with one read, and share its memory.
   * @throws `corrupt` with the offset where the file ends too early
   */
  read(places: readonly ChunkPlace[]): Uint8Array[] {
    this.open();
    const chunks: Uint8Array[] = [];
    for (let first = 0; first < places.length;) {
      const start = places[first].offset;
      let last = first;
      let end = start + places[first].length;
      while (last + 1 < places.length) {
        const next = places[last + 1];
        const nextEnd = next.offset + next.length;
        if (next.offset < end || next.offset - end > smallGap || nextEnd - start > longestRun) break;
        end = nextEnd;
        last++;
      }
      const run = this.bytes(start, end);
      for (; first <= last; first++) {
        const from = places[first].offset - start;
        chunks.push(run.subarray(from, from + places[first].length));
      }
    }
    return chunks;
  }

  /** Fills `target` from `offset` on. @throws as {@link read} */
  fill(target: Uint8Array, offset: number): void {
    this.open();
    for (let filled = 0; filled < target.length;) {
      const count = readSync(this.file, target, filled, target.length - filled, offset + filled);
      if (count === 0) throw this.tooShort(offset + target.length);
      filled += count;
    }
  }

  [Symbol.dispose](): void {
    if (this.file >= 0) closeSync(this.file);
    this.file = -1;
  }

  private bytes(start: number, end: number): Uint8Array {
    // Asked before memory is set aside: a damaged entry may claim any length.
    if (end > this.size) this.size = fstatSync(this.file).size;
    if (end > this.size) throw this.tooShort(end);
    const bytes = Buffer.allocUnsafe(end - start);
    this.fill(bytes, start);
    return bytes;
  }

  private open(): void {
    if (this.file >= 0) return;
    this.file = openSync(this.path, 'r');
    this.size = fstatSync(this.file).size;
  }

  private tooShort(wanted: number): Error {
    return corruptError(l10n.t('{0} has {1} bytes; {2} were expected.', this.path, this.size, wanted), {
      subject: this.path,
      offset: this.size,
    });
  }
}
