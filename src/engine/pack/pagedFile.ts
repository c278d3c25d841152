import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { corruptError } from '../io/errors';
import { openForReading } from './packSource';

const pageSize = 32 * 1024;

/**
 * Reads small pieces here and there of a file that may be larger than memory, through a bounded number of pages: the
 * last used stay. An index that fits is in memory after a while, one that does not costs a read a look-up.
 */
export class PagedFile implements Disposable {
  readonly size: number;
  private readonly file: number;
  private readonly pages = new Map<number, Uint8Array>();
  private lastNumber = -1;
  private lastPage = new Uint8Array(0);

  constructor(
    readonly path: string,
    private readonly mostPages = 256,
  ) {
    this.file = openForReading(path);
    this.size = fstatSync(this.file).size;
  }

  /** One byte. */
  byte(offset: number): number {
    const number = Math.floor(offset / pageSize);
    return this.page(number)[offset - number * pageSize];
  }

  /** A number of 4 bytes, most significant first. */
  uint32(offset: number): number {
    const number = Math.floor(offset / pageSize);
    const at = offset - number * pageSize;
    if (at + 4 > pageSize) {
      return (
        this.byte(offset) * 0x100_0000 +
        this.byte(offset + 1) * 0x1_0000 +
        this.byte(offset + 2) * 0x100 +
        this.byte(offset + 3)
      );
    }
    const page = this.page(number);
    return page[at] * 0x100_0000 + page[at + 1] * 0x1_0000 + page[at + 2] * 0x100 + page[at + 3];
  }

  /** Some bytes from `offset`, at most to `end`: as many as a page has. */
  bytes(offset: number, end: number): Uint8Array {
    const number = Math.floor(offset / pageSize);
    const at = offset - number * pageSize;
    return this.page(number).subarray(at, Math.min(pageSize, at + end - offset));
  }

  /** Compares `name` with the bytes at `offset`: below 0 when it sorts before them. */
  compare(name: Uint8Array, offset: number): number {
    for (let at = 0; at < name.length; at++) {
      const difference = name[at] - this.byte(offset + at);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.file);
    this.pages.clear();
  }

  private page(number: number): Uint8Array {
    if (number === this.lastNumber) return this.lastPage;
    let page = this.pages.get(number);
    if (page === undefined) {
      page = new Uint8Array(pageSize);
      const read = readSync(this.file, page, 0, pageSize, number * pageSize);
      if (read < Math.min(pageSize, this.size - number * pageSize)) {
        throw corruptError(l10n.t('{0} became shorter while it was read.', this.path), {
          subject: this.path,
          offset: number * pageSize,
        });
      }
      const oldest = this.pages.keys().next();
      if (this.pages.size >= this.mostPages && oldest.done !== true) this.pages.delete(oldest.value);
    } else this.pages.delete(number);
    this.pages.set(number, page);
    this.lastNumber = number;
    this.lastPage = page as Uint8Array<ArrayBuffer>;
    return page;
  }
}
