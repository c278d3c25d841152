import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { corruptError, unsupportedError } from '../io/errors';
import { emptyHeader, entryLength, parseRevlogHeader, type RevlogHeader } from './revlogHeader';

/** An index up to this is in memory whole; a larger one is read page by page. */
const longestWhole = 32 << 20;
const entriesPerPage = 1 << 12;
const pageLength = entriesPerPage * entryLength;
const keptPages = 512;
/** Mercurial takes chunks out of an index long before this. */
const longestInline = 256 << 20;

/** Where an index is read into before its length is known; copied from at once, and used by one call at a time. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);

/** What is asked of {@link IndexFile.open}. */
export interface IndexOptions {
  /** An index that ends in the middle of an entry is read up to there, instead of refused: `isCutShort` tells. */
  isDamageKept?: boolean;
}

/**
 * The entries of an index, by revision. A small file is read with one call, and closed; of a large one, at most 128 MB
 * are in memory, whatever its size: an entry is an offset in a page, never an object.
 *
 * @see `hg help internals.revlogs`
 */
export class IndexFile implements Disposable {
  /** Number of revisions. */
  readonly length: number;
  /** Whether the file ends in the middle of an entry, or of a chunk between entries. */
  readonly isCutShort: boolean;
  private page: Buffer;
  private readonly isWhole: boolean;
  private pageNumber = 0;
  private readonly pages = new Map<number, Buffer>();
  private readonly inlineStarts: Uint32Array | undefined;

  private constructor(
    readonly path: string,
    readonly header: RevlogHeader,
    private file: number,
    /** Of the file, when it was opened. */
    readonly byteLength: number,
    first: Buffer,
  ) {
    this.page = first;
    this.isWhole = first.length === byteLength;
    if (!this.isWhole) this.pages.set(0, first);
    if (header.isInline) {
      const { starts, isWhole } = findInlineEntries(first);
      this.inlineStarts = starts;
      this.length = starts.length;
      this.isCutShort = !isWhole;
    } else {
      this.length = Math.floor(byteLength / entryLength);
      this.isCutShort = byteLength % entryLength !== 0;
    }
  }

  /**
   * @param path of the index, which ends in `.i`
   * @throws `unsupported` when it is not of version 1, or no revlog; `corrupt` when it is cut short; the file system's own
   */
  static open(path: string, options: IndexOptions = {}): IndexFile {
    const file = openSync(path, 'r');
    let index: IndexFile;
    try {
      index = IndexFile.read(path, file);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    if (!index.isCutShort || options.isDamageKept === true) return index;
    index[Symbol.dispose]();
    throw corruptError(l10n.t('{0} is cut short: revision {1} is not all there.', path, index.length), {
      subject: path,
      offset: index.byteLength,
      advice: l10n.t('If nothing was writing to the repository just now, run "hg verify".'),
    });
  }

  [Symbol.dispose](): void {
    if (this.file >= 0) closeSync(this.file);
    this.file = -1;
  }

  uint16(rev: number, field: number): number {
    const at = this.entry(rev) + field;
    return this.page.readUInt16BE(at);
  }

  int32(rev: number, field: number): number {
    const at = this.entry(rev) + field;
    return this.page.readInt32BE(at);
  }

  /** The offset of the revision's chunk among all chunks: the first 6 bytes, which in the first entry are the header. */
  chunkOffset(rev: number): number {
    if (rev === 0) return 0;
    const at = this.entry(rev);
    return this.page.readUIntBE(at, 6);
  }

  /** Where the chunk of an inline revlog begins in the index; not to be asked of others. */
  inlineChunkStart(rev: number): number {
    return this.entry(rev) + entryLength;
  }

  /** A stretch of an inline index, which is always in memory whole. */
  inlineBytes(start: number, end: number): Uint8Array {
    return this.page.subarray(start, end);
  }

  hex(rev: number, field: number, length: number): string {
    const at = this.entry(rev) + field;
    return this.page.toString('hex', at, at + length);
  }

  /** Copies some bytes of an entry: so few that a loop is quicker than a call. */
  copy(rev: number, field: number, length: number, target: Uint8Array, at: number): void {
    const start = this.entry(rev) + field;
    const { page } = this;
    for (let byte = 0; byte < length; byte++) target[at + byte] = page[start + byte];
  }

  /** Where in the index file the revision's entry begins. */
  entryOffset(rev: number): number {
    return this.inlineStarts === undefined ? rev * entryLength : this.inlineStarts[rev];
  }

  private static read(path: string, file: number): IndexFile {
    const count = readSync(file, scratch, 0, scratch.length, 0);
    if (count === 0) {
      closeSync(file);
      return new IndexFile(path, emptyHeader, -1, 0, Buffer.alloc(0));
    }
    if (count < 4)
      throw corruptError(l10n.t('{0} is cut short: it has {1} bytes.', path, count), { subject: path, offset: count });
    const header = parseRevlogHeader(scratch.readInt32BE(0), path);
    if (count < scratch.length) {
      closeSync(file);
      return new IndexFile(path, header, -1, count, Buffer.from(scratch.subarray(0, count)));
    }
    const { size } = fstatSync(file);
    if (header.isInline && size > longestInline) {
      throw unsupportedError(l10n.t('{0} says that its texts are inside, but has {1} bytes.', path, size), {
        subject: path,
      });
    }
    const first = Buffer.allocUnsafeSlow(header.isInline || size <= longestWhole ? size : pageLength);
    fill(file, first, 0, path);
    if (size > first.length) return new IndexFile(path, header, file, size, first);
    closeSync(file);
    return new IndexFile(path, header, -1, size, first);
  }

  /** Where in the page the revision's entry begins, after turning to that page. */
  private entry(rev: number): number {
    if (rev < 0 || rev >= this.length) throw new RangeError(`There is no revision ${rev} in ${this.path}.`);
    if (this.inlineStarts !== undefined) return this.inlineStarts[rev];
    if (this.isWhole) return rev * entryLength;
    const number = Math.floor(rev / entriesPerPage);
    if (number !== this.pageNumber) this.turnTo(number);
    return (rev - number * entriesPerPage) * entryLength;
  }

  private turnTo(number: number): void {
    let page = this.pages.get(number);
    if (page === undefined) {
      if (this.file < 0) throw new Error(`${this.path} was closed.`);
      page = Buffer.allocUnsafeSlow(Math.min(pageLength, this.byteLength - number * pageLength));
      fill(this.file, page, number * pageLength, this.path);
      const oldest = this.pages.keys().next();
      if (this.pages.size >= keptPages && oldest.done !== true) this.pages.delete(oldest.value);
    } else this.pages.delete(number);
    this.pages.set(number, page);
    this.page = page;
    this.pageNumber = number;
  }
}

/** Entries of an inline index, each followed by its chunk. */
function findInlineEntries(bytes: Buffer): { starts: Uint32Array; isWhole: boolean } {
  let starts = new Uint32Array(Math.min(64, Math.ceil(bytes.length / entryLength)));
  let count = 0;
  let at = 0;
  while (at + entryLength <= bytes.length) {
    const end = at + entryLength + bytes.readUInt32BE(at + 8);
    if (end > bytes.length) break;
    if (count === starts.length) {
      const more = new Uint32Array(count * 2);
      more.set(starts);
      starts = more;
    }
    starts[count++] = at;
    at = end;
  }
  return { starts: starts.subarray(0, count), isWhole: at === bytes.length };
}

function fill(file: number, bytes: Buffer, position: number, path: string): void {
  for (let filled = 0; filled < bytes.length;) {
    const count = readSync(file, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) {
      throw corruptError(l10n.t('{0} became shorter while it was read.', path), {
        subject: path,
        offset: position + filled,
      });
    }
    filled += count;
  }
}
