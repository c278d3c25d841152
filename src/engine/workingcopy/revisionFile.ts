import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { decodeChunk } from '../compression/block';
import { corruptError, integrityError, unsupportedError } from '../io/errors';
import { nullRev, type Node, type Rev } from '../revlog/node';
import type { History } from './history';
import { IndexPages } from './indexPages';
import { TextPieces } from './textPieces';

const entryLength = 64;
const inlineFlag = 0x10000;
const generaldeltaFlag = 0x20000;
const censoredFlag = 0x8000;
const flagWords: Record<number, string> = {
  0x2000: 'is kept outside the history (LFS)',
  0x4000: 'is a stand-in of a narrow clone (ellipsis)',
};

const pieceLength = 256 * 1024;

/** A revision's chunk that holds its whole text, compressed or not: it can be read without the text in memory. */
export interface WholeChunk {
  /** The chunk, in pieces of at most 256 kB, each valid until the next. */
  pieces: Iterable<Uint8Array>;
  /** Bytes of the text. */
  textLength: number;
}

/**
 * The revisions of one revlog, version 1, for reading a few texts: that is what a checkout does to thousands of them.
 * Opening one costs three calls to the system while it is small; a large index is read page by page.
 *
 * @see `hg help internals.revlogs`
 */
export class RevisionFile implements History, Disposable {
  readonly length: number;
  private textFile = -1;
  private textFileLength = 0;
  private readonly inlineStarts: Float64Array | undefined;
  private readonly isGeneraldelta: boolean;

  private constructor(
    private readonly path: string,
    private readonly index: IndexPages,
  ) {
    if (index.length > 0 && index.length < entryLength) throw this.truncated(0);
    const header = index.length === 0 ? 1 | generaldeltaFlag : index.uint32(0);
    if ((header & 0xffff) !== 1 || (header & ~(0xffff | inlineFlag | generaldeltaFlag)) !== 0) {
      throw unsupportedError(
        `${path} is a revlog of a version that Deltascope does not read (0x${header.toString(16)}).`,
        {
          subject: path,
        },
      );
    }
    this.isGeneraldelta = (header & generaldeltaFlag) !== 0;
    this.inlineStarts = (header & inlineFlag) === 0 ? undefined : this.findInlineEntries();
    this.length = this.inlineStarts?.length ?? Math.floor(index.length / entryLength);
    if (this.inlineStarts === undefined && index.length % entryLength !== 0) throw this.truncated(this.length);
  }

  /**
   * @param path of the index, ending in `.i`
   * @throws `corrupt` when it is cut short, `unsupported` when it is no revlog of version 1, the file system's own error
   */
  static open(path: string): RevisionFile {
    const index = IndexPages.open(path);
    try {
      return new RevisionFile(path, index);
    } catch (error) {
      index[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.index[Symbol.dispose]();
    if (this.textFile >= 0) closeSync(this.textFile);
    this.textFile = -1;
  }

  node(rev: Rev): Node {
    return this.index.hex(this.entry(rev) + 32, 20) as Node;
  }

  p1(rev: Rev): Rev {
    return this.parent(rev, 24);
  }

  p2(rev: Rev): Rev {
    return this.parent(rev, 28);
  }

  /** Looks from the end: what is asked for is mostly recent. */
  find(node: Node): Rev | undefined {
    const wanted = Buffer.from(node, 'hex');
    for (let rev = this.length - 1; rev >= 0; rev--) {
      if (this.index.matches(this.entry(rev as Rev) + 32, wanted)) return rev as Rev;
    }
    return undefined;
  }

  /**
   * The text of a revision.
   * @throws `integrity` when it does not hash to its node, `corrupt` when it cannot be put together, `unsupported` when it
   * is kept elsewhere or was censored
   */
  text(rev: Rev): Uint8Array {
    this.checkFlags(rev);
    const chain = this.chain(rev);
    const subject = this.describe(rev);
    const base = chain[chain.length - 1];
    const pieces = new TextPieces(decodeChunk(this.chunk(base), this.textLength(base), subject), subject);
    for (let link = chain.length - 2; link >= 0; link--) {
      // A delta may be longer than either text, by a head of 12 bytes for each piece of one byte that it keeps.
      const limit = 16 * Math.max(this.textLength(chain[link]), this.textLength(chain[link + 1])) + 65_536;
      pieces.apply(decodeChunk(this.chunk(chain[link]), limit, subject));
    }
    const text = pieces.join(this.textLength(rev));
    if (this.hashHead(rev).update(text).digest('hex') !== this.node(rev)) throw this.mismatch(rev);
    return text;
  }

  /** The chunk of a revision that is no delta; undefined for one that is. */
  wholeChunk(rev: Rev): WholeChunk | undefined {
    this.checkFlags(rev);
    if (this.deltaBase(rev) !== rev) return undefined;
    return { pieces: this.chunkPieces(rev), textLength: this.textLength(rev) };
  }

  /** The hash of a revision before its text is added: it begins with the parents' nodes, the smaller one first. */
  hashHead(rev: Rev): ReturnType<typeof createHash> {
    const parents = [this.p1(rev), this.p2(rev)].map((parent) => (parent < 0 ? '0'.repeat(40) : this.node(parent)));
    return createHash('sha1').update(parents.sort().join(''), 'hex');
  }

  /** Bytes of the text. */
  textLength(rev: Rev): number {
    return this.index.uint32(this.entry(rev) + 12);
  }

  /** The error for a text that does not hash to its node. */
  mismatch(rev: Rev): Error {
    return integrityError(`${this.describe(rev)} does not have the content that its hash stands for.`, {
      subject: this.node(rev),
      advice: 'The store is damaged. Run "hg verify", or clone again.',
    });
  }

  describe(rev: Rev): string {
    return `Revision ${rev} of ${this.path}`;
  }

  private parent(rev: Rev, at: number): Rev {
    const parent = this.index.int32(this.entry(rev) + at);
    if (parent < nullRev || parent >= rev) throw this.malformed(rev, `has the parent ${parent}`);
    return parent as Rev;
  }

  private deltaBase(rev: Rev): Rev {
    const base = this.index.int32(this.entry(rev) + 16);
    if (base < 0 || base > rev) throw this.malformed(rev, `is a delta against revision ${base}`);
    return base as Rev;
  }

  /** From the revision down to the whole text that it is built on. */
  private chain(rev: Rev): Rev[] {
    const chain = [rev];
    // Without generaldelta the base is where the chain begins, and every revision is a delta against the one before it.
    for (let at = rev, base = this.deltaBase(at); base !== at; base = this.deltaBase(at)) {
      at = this.isGeneraldelta ? base : ((at - 1) as Rev);
      chain.push(at);
    }
    return chain;
  }

  private chunk(rev: Rev): Uint8Array {
    const { offset, length } = this.locate(rev);
    if (this.inlineStarts !== undefined) return this.index.bytes(offset, length);
    const bytes = Buffer.allocUnsafe(length);
    this.readTexts(bytes, offset, rev);
    return bytes;
  }

  private *chunkPieces(rev: Rev): Generator<Uint8Array> {
    const { offset, length } = this.locate(rev);
    if (this.inlineStarts !== undefined) {
      yield this.index.bytes(offset, length);
      return;
    }
    const buffer = Buffer.allocUnsafe(Math.min(length, pieceLength));
    for (let at = 0; at < length; at += buffer.length) {
      const piece = buffer.subarray(0, Math.min(buffer.length, length - at));
      this.readTexts(piece, offset + at, rev);
      yield piece;
    }
  }

  /** Where a chunk begins: in the index itself, or in the file beside it. */
  private locate(rev: Rev): { offset: number; length: number } {
    const entry = this.entry(rev);
    const length = this.index.uint32(entry + 8);
    if (this.inlineStarts !== undefined) return { offset: entry + entryLength, length };
    this.openTexts();
    // Six bytes; those of the first entry are the header, and its offset is 0.
    const offset = rev === 0 ? 0 : this.index.uint32(entry) * 65_536 + this.index.uint16(entry + 4);
    if (offset + length > this.textFileLength) throw this.truncated(rev);
    return { offset, length };
  }

  private openTexts(): void {
    if (this.textFile >= 0) return;
    this.textFile = openSync(this.path.replace(/\.i$/, '.d'), 'r');
    this.textFileLength = fstatSync(this.textFile).size;
  }

  private readTexts(bytes: Uint8Array, offset: number, rev: Rev): void {
    for (let filled = 0; filled < bytes.length;) {
      const count = readSync(this.textFile, bytes, filled, bytes.length - filled, offset + filled);
      if (count === 0) throw this.truncated(rev);
      filled += count;
    }
  }

  private checkFlags(rev: Rev): void {
    const flags = this.index.uint16(this.entry(rev) + 6);
    if (flags === 0) return;
    if ((flags & censoredFlag) !== 0) {
      throw unsupportedError(`${this.describe(rev)} was censored: its text is gone.`, { subject: this.path });
    }
    const why = flagWords[flags] ?? `has unknown flags (0x${flags.toString(16)})`;
    throw unsupportedError(`${this.describe(rev)} ${why}.`, { subject: this.path });
  }

  private entry(rev: Rev): number {
    return this.inlineStarts === undefined ? rev * entryLength : this.inlineStarts[rev];
  }

  private findInlineEntries(): Float64Array {
    const starts: number[] = [];
    for (let at = 0; at < this.index.length;) {
      starts.push(at);
      if (at + entryLength > this.index.length) throw this.truncated(starts.length - 1);
      at += entryLength + this.index.uint32(at + 8);
      if (at > this.index.length) throw this.truncated(starts.length - 1);
    }
    return Float64Array.from(starts);
  }

  private malformed(rev: Rev, how: string): Error {
    return corruptError(`${this.describe(rev)} ${how}.`, { subject: this.path, offset: this.entry(rev) });
  }

  private truncated(rev: number): Error {
    return corruptError(`${this.path} is cut short: revision ${rev} is not all there.`, { subject: this.path });
  }
}
