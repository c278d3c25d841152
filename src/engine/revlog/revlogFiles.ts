import * as l10n from '@vscode/l10n';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { asDestinationError, corruptError } from '../io/errors';
import { writeAll } from '../io/writeAll';
import { entryLength } from './revlogHeader';
import { writeHeader } from './revlogEntry';

/** Where a revlog is on disk. */
export interface RevlogPaths {
  /** The index, which ends in `.i`. */
  index: string;
  /** The chunks' file, which is there once the revlog is not inline any more. */
  chunks: string;
}

/** What a transaction wants to know of a revlog before it changes. */
export interface WriteHooks {
  /** Before the first byte is added to a file that now has `length` bytes: 0 when it is not there. */
  willAppend?: (path: string, length: number) => void;
  /** Before a file is replaced by another, as an index is when its chunks move out of it. */
  willReplace?: (path: string) => void;
}

/** Mercurial moves the chunks out of an index when there are this many bytes of them. */
export const mostInlineBytes = 131_072;
/** What waits to be written, in bytes. */
const mostPending = 4 << 20;

/** What is asked of {@link RevlogFiles}. */
export interface RevlogFilesOptions {
  isInline: boolean;
  isGeneraldelta: boolean;
  /** Revisions that are there, and bytes of their chunks. */
  length: number;
  byteLength: number;
  /** The revlog stays as it is, inline or not, however large it becomes. */
  keepsForm?: boolean;
}

/**
 * The files of a revlog that grows. Entries and chunks wait in memory, and are written when they are many, chunks before
 * the entries that name them: a reader who comes in between sees the revlog without the new revisions.
 */
export class RevlogFiles implements Disposable {
  isInline: boolean;
  private readonly announced = new Set<string>();
  private entries: Buffer[] = [];
  private chunks: Uint8Array[] = [];
  private pendingBytes = 0;
  /** Revisions and bytes of chunks that are on disk. */
  private written: number;
  private writtenBytes: number;
  private reading = -1;

  constructor(
    readonly paths: RevlogPaths,
    private readonly options: RevlogFilesOptions,
    private readonly hooks: WriteHooks,
  ) {
    this.isInline = options.isInline;
    this.written = options.length;
    this.writtenBytes = options.byteLength;
  }

  /** Adds a revision: its entry of 64 bytes, without the header, and its chunk; both are kept until they are written. */
  add(entry: Buffer, chunk: Uint8Array): void {
    this.entries.push(entry);
    this.chunks.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes > mostPending) this.flush();
  }

  /** The chunk of a revision that was added here. @throws `corrupt` when the file was cut meanwhile */
  read(rev: number, offset: number, length: number): Uint8Array {
    if (rev >= this.written) return this.chunks[rev - this.written];
    const bytes = Buffer.allocUnsafe(length);
    const at = this.isInline ? offset + entryLength * (rev + 1) : offset;
    if (this.reading < 0) this.reading = openSync(this.isInline ? this.paths.index : this.paths.chunks, 'r');
    for (let filled = 0; filled < length;) {
      const count = readSync(this.reading, bytes, filled, length - filled, at + filled);
      if (count === 0) throw corruptError(l10n.t('{0} became shorter while it was written.', this.paths.index));
      filled += count;
    }
    return bytes;
  }

  /**
   * Whether all that was added, while none of it is written yet, is what these files hold already; undefined when some of it
   * is written.
   */
  isSameAs(paths: RevlogPaths): boolean | undefined {
    if (this.written > 0) return undefined;
    if (this.entries.length > 0) this.head(this.entries[0]);
    const pending = this.isInline ? this.interleaved() : Buffer.concat(this.entries);
    if (!pending.equals(readFileSync(paths.index))) return false;
    if (this.isInline || !existsSync(paths.chunks)) return this.isInline || this.pendingBytes === 0;
    return Buffer.concat(this.chunks).equals(readFileSync(paths.chunks));
  }

  /** Writes what waits. @throws `destination` when the disk does not take it */
  flush(): void {
    if (this.entries.length === 0) return;
    try {
      const isTooLarge = this.writtenBytes + this.pendingBytes >= mostInlineBytes;
      if (this.isInline && isTooLarge && this.options.keepsForm !== true) this.split();
      if (this.isInline) this.appendInline();
      else this.appendSplit();
    } catch (error) {
      throw asDestinationError(error, this.paths.index);
    }
    this.written += this.entries.length;
    this.writtenBytes += this.pendingBytes;
    this.entries = [];
    this.chunks = [];
    this.pendingBytes = 0;
  }

  [Symbol.dispose](): void {
    this.stopReading();
    this.entries = [];
    this.chunks = [];
  }

  private appendInline(): void {
    if (this.written === 0) this.head(this.entries[0]);
    this.append(this.paths.index, this.interleaved());
  }

  private interleaved(): Buffer {
    return Buffer.concat(this.entries.flatMap((entry, at) => [entry, this.chunks[at]]));
  }

  private appendSplit(): void {
    if (this.written === 0) this.head(this.entries[0]);
    this.append(this.paths.chunks, Buffer.concat(this.chunks));
    this.append(this.paths.index, Buffer.concat(this.entries));
  }

  private append(path: string, bytes: Uint8Array): void {
    if (!this.announced.has(path)) {
      this.announced.add(path);
      const before = statSync(path, { throwIfNoEntry: false });
      this.hooks.willAppend?.(path, before?.size ?? 0);
      if (before !== undefined && before.nlink > 1) this.makeOwn(path);
    }
    const file = openSync(path, 'a');
    try {
      writeAll(file, bytes);
    } finally {
      closeSync(file);
    }
  }

  /** Clones on one disk share their files, as links to the same: what is added must not appear in the other clone. */
  private makeOwn(path: string): void {
    this.stopReading();
    const beside = `${path}.own`;
    copyFileSync(path, beside);
    renameSync(beside, path);
  }

  /** Moves the chunks that are on disk out of the index, whose new form takes the place of the old one at once. */
  private split(): void {
    this.stopReading();
    this.isInline = false;
    if (this.written === 0) return;
    const { index, chunks } = this.paths;
    const old = readFileSync(index);
    const entries = Buffer.allocUnsafe(this.written * entryLength);
    const data = Buffer.allocUnsafe(this.writtenBytes);
    let at = 0;
    let filled = 0;
    for (let rev = 0; rev < this.written; rev++) {
      const length = old.readUInt32BE(at + 8);
      old.copy(entries, rev * entryLength, at, at + entryLength);
      old.copy(data, filled, at + entryLength, at + entryLength + length);
      at += entryLength + length;
      filled += length;
    }
    this.head(entries);
    // A chunks' file that an earlier program left behind belongs to nobody.
    if (existsSync(chunks)) {
      this.hooks.willReplace?.(chunks);
      rmSync(chunks);
    }
    this.append(chunks, data);
    const beside = `${index}.split`;
    writeFileSync(beside, entries);
    this.hooks.willReplace?.(index);
    renameSync(beside, index);
    // What is added from here on is undone with the replacement.
    this.announced.add(index);
  }

  private head(first: Buffer): void {
    writeHeader(first, 0, this.isInline, this.options.isGeneraldelta);
  }

  private stopReading(): void {
    if (this.reading >= 0) closeSync(this.reading);
    this.reading = -1;
  }
}
