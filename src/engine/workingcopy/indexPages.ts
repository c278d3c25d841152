import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { corruptError } from '../io/errors';

/** A multiple of an index entry's length, so that none lies across two pages. */
const pageLength = 256 * 1024;
const keptPages = 16;
/** Revlogs that hold texts in their index are split long before this. */
const longestInline = 64 << 20;

/** Where small files are read into before their length is known; copied from at once, and used by one call at a time. */
const scratch = Buffer.allocUnsafe(pageLength);

/**
 * The bytes of an index. A small file is read at once and closed; of a large one, 4 MB of pages are kept. Numbers are
 * big-endian; those in entries never lie across two pages.
 */
export class IndexPages implements Disposable {
  private readonly pages = new Map<number, Buffer>();
  private last: Buffer;
  private lastNumber = 0;

  private constructor(
    private readonly path: string,
    private readonly file: number,
    readonly length: number,
    private readonly pageSize: number,
    first: Buffer,
  ) {
    this.last = first;
    this.pages.set(0, first);
  }

  static open(path: string): IndexPages {
    const file = openSync(path, 'r');
    try {
      const count = readSync(file, scratch, 0, pageLength, 0);
      if (count < pageLength) {
        closeSync(file);
        return new IndexPages(path, -1, count, pageLength, Buffer.from(scratch.subarray(0, count)));
      }
      return IndexPages.openLarge(path, file);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (this.file >= 0) closeSync(this.file);
  }

  uint32(at: number): number {
    return this.page(at).readUInt32BE(at % this.pageSize);
  }

  int32(at: number): number {
    return this.page(at).readInt32BE(at % this.pageSize);
  }

  uint16(at: number): number {
    return this.page(at).readUInt16BE(at % this.pageSize);
  }

  hex(at: number, length: number): string {
    const start = at % this.pageSize;
    return this.page(at).toString('hex', start, start + length);
  }

  matches(at: number, wanted: Uint8Array): boolean {
    const page = this.page(at);
    const start = at % this.pageSize;
    // The first byte tells most apart without a call.
    return page[start] === wanted[0] && page.compare(wanted, 0, wanted.length, start, start + wanted.length) === 0;
  }

  /** A stretch of an index that is held as one page: an inline one always is. */
  bytes(at: number, length: number): Uint8Array {
    return this.page(at).subarray(at, at + length);
  }

  /** An index with texts inside has entries anywhere, so it becomes one page. */
  private static openLarge(path: string, file: number): IndexPages {
    const { size } = fstatSync(file);
    const isInline = (scratch[1] & 1) !== 0;
    if (isInline && size > longestInline) {
      throw corruptError(`${path} says that its texts are inside, but has ${size} bytes.`, { subject: path });
    }
    const pageSize = isInline ? size : pageLength;
    const first = Buffer.allocUnsafe(pageSize);
    if (readSync(file, first, 0, pageSize, 0) !== pageSize) throw changed(path);
    return new IndexPages(path, file, size, pageSize, first);
  }

  private page(at: number): Buffer {
    const number = Math.floor(at / this.pageSize);
    if (number !== this.lastNumber) {
      this.last = this.pages.get(number) ?? this.read(number);
      this.lastNumber = number;
    }
    return this.last;
  }

  private read(number: number): Buffer {
    const start = number * this.pageSize;
    const oldest = this.pages.keys().next();
    let page = Buffer.allocUnsafe(Math.min(this.pageSize, this.length - start));
    if (this.pages.size >= keptPages && oldest.done !== true) this.pages.delete(oldest.value);
    const count = readSync(this.file, page, 0, page.length, start);
    if (count !== page.length) throw changed(this.path);
    page = page.subarray(0, count);
    this.pages.set(number, page);
    return page;
  }
}

function changed(path: string): Error {
  return corruptError(`${path} became shorter while it was read.`, { subject: path });
}
