import * as l10n from '@vscode/l10n';
import { decodeChunk } from '../compression/block';
import { corruptError, EngineError, unsupportedError } from '../io/errors';
import { ChunkCache } from './chunkCache';
import { ChunkFile, type ChunkPlace } from './chunkFile';
import { DeltaPieces } from './deltaPieces';
import { parseFileText } from './fileText';
import { IndexFile, type IndexOptions } from './indexFile';
import { nullRev, type Rev } from './node';
import { whyWithoutText } from './revisionFlags';
import { RevlogIndex } from './revlogIndex';

/** What is taken from a chain at once. */
const chunkBytesAtOnce = 16 << 20;
const deltaBytesAtOnce = 64 << 20;
/** A longer text is not kept for the next revision. */
const longestKept = 64 << 20;
/** What is read before it is asked for. */
const bytesReadAhead = 512 * 1024;
const mostReadAhead = 1024;
const longestText = 0x7fff_ffff;
/** Whoever reads one text or two, as a checkout does of each file, has no use for a cache. */
const textsBeforeCache = 3;

const emptyText = new Uint8Array(0);

/** What is asked of {@link Revlog.open}. */
export interface RevlogOptions extends IndexOptions {
  /** The file of chunks, where it is not the index's name with `.d`: that is so for hashed names. */
  chunkPath?: string;
}

/**
 * One history: an index of revisions and their chunks, read as they are asked for. All reads are synchronous, which is
 * what a worker thread wants; `zstdReady` must have been awaited once in the thread.
 *
 * @see `hg help internals.revlogs`
 */
export class Revlog extends RevlogIndex {
  private readonly chunks: ChunkFile;
  /** The last text, for the next revision on the same chain. */
  private keptRev = -1;
  private keptText: Uint8Array = emptyText;
  private textsBuilt = 0;
  private cache: ChunkCache | undefined;

  private constructor(index: IndexFile, chunkPath: string) {
    super(index);
    this.chunks = new ChunkFile(chunkPath);
  }

  /**
   * Opens a revlog: one open, read and close for a small index; the chunks' file waits until it is needed.
   *
   * @param path of the index, which ends in `.i`
   * @throws `unsupported` when it is not of version 1, or no revlog; `corrupt` when it is cut short; the file system's own
   */
  static open(path: string, options: RevlogOptions = {}): Revlog {
    return new Revlog(IndexFile.open(path, options), options.chunkPath ?? path.replace(/\.i$/, '.d'));
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.chunks[Symbol.dispose]();
    this.keptRev = -1;
    this.keptText = emptyText;
    this.cache = undefined;
  }

  /** The chunk as it is stored. @throws `corrupt` when it is past the file's end */
  chunk(rev: Rev): Uint8Array {
    return this.readChunks([rev])[0];
  }

  /** What the chunk holds: the whole text, or a delta against {@link deltaParent}. @throws `corrupt` */
  decodedChunk(rev: Rev): Uint8Array {
    const chunk = this.chunk(rev);
    try {
      return this.decode(rev, chunk);
    } catch (error) {
      throw this.located(error, rev);
    }
  }

  /**
   * Revisions with what their chunks hold, read ahead a few hundred kB at a time: for those who want many, in order.
   * @throws as {@link decodedChunk}
   */
  *decodedChunks(revs: readonly Rev[]): Generator<[Rev, Uint8Array]> {
    for (let next = 0; next < revs.length;) {
      let end = next + 1;
      for (let bytes = this.chunkLength(revs[next]); end < revs.length && end - next < mostReadAhead; end++) {
        bytes += this.chunkLength(revs[end]);
        if (bytes > bytesReadAhead) break;
      }
      const step = revs.slice(next, end);
      for (const [at, chunk] of this.readChunks(step).entries()) {
        let bytes: Uint8Array;
        try {
          bytes = this.decode(step[at], chunk);
        } catch (error) {
          throw this.located(error, step[at]);
        }
        yield [step[at], bytes];
      }
      next = end;
    }
  }

  /**
   * The chunk in pieces of at most 256 kB, each valid until the next, where it holds a whole text; undefined for a delta.
   * A large text can be written elsewhere that way without being in memory.
   */
  wholeChunkPieces(rev: Rev): Iterable<Uint8Array> | undefined {
    return this.deltaParent(rev) === nullRev ? this.chunkPieces(rev) : undefined;
  }

  /**
   * The text of a revision, checked against its node. Not to be changed: it may be kept for the next call.
   *
   * @throws `integrity` when it does not hash to its node, `corrupt` when it cannot be put together, `unsupported` when it
   * was censored or is kept elsewhere
   */
  text(rev: Rev): Uint8Array {
    if (rev === nullRev) return emptyText;
    const why = whyWithoutText(this.flags(rev));
    if (why !== undefined) {
      throw unsupportedError(`${this.describe(rev)} ${why}.`, { subject: this.path, offset: this.entryOffset(rev) });
    }
    const text = this.rawText(rev);
    if (this.hashHead(rev).update(text).digest('hex') !== this.node(rev)) throw this.mismatch(rev);
    return text;
  }

  /** The text of a file's revision without what its history notes before it. @throws as {@link text} */
  fileText(rev: Rev): Uint8Array {
    return parseFileText(this.text(rev), this.describe(rev)).content;
  }

  /**
   * What is stored as the text of a revision, whether or not it is what the node stands for. Not to be changed.
   * @throws `corrupt` when it cannot be put together
   */
  rawText(rev: Rev): Uint8Array {
    if (rev === nullRev) return emptyText;
    if (rev === this.keptRev) return this.keptText;
    const text = this.putTogether(rev);
    const promised = this.textLength(rev);
    if (promised >= 0 && text.length !== promised) {
      throw this.malformed(rev, l10n.t('comes to {0} bytes; its entry says {1}', text.length, promised));
    }
    const isKept = text.length <= longestKept;
    this.keptRev = isKept ? rev : -1;
    this.keptText = isKept ? text : emptyText;
    return text;
  }

  private putTogether(rev: Rev): Uint8Array {
    const chain = this.chainAbove(rev, this.keptRev);
    // The chain begins with a whole text, unless it goes on from the text that was kept.
    const isWhole = this.deltaParent(chain[0]) === nullRev;
    const cache = this.textsBuilt++ < textsBeforeCache ? undefined : (this.cache ??= new ChunkCache());
    let pieces = new DeltaPieces(this.keptText);
    for (let next = 0; next < chain.length;) {
      const end = this.endOfStep(chain, next);
      const known = chain.slice(next, end).map((link) => cache?.get(link));
      const unread = chain.slice(next, end).filter((_, at) => known[at] === undefined);
      const chunks = this.readChunks(unread);
      for (let at = 0, read = 0; next < end; at++, next++) {
        const link = chain[next];
        try {
          const bytes = known[at] ?? this.decode(link, chunks[read++]);
          if (known[at] === undefined) cache?.add(link, bytes);
          if (next === 0 && isWhole) pieces = new DeltaPieces(bytes);
          else {
            if (pieces.bytesHeld + bytes.length > deltaBytesAtOnce) pieces = new DeltaPieces(pieces.apply());
            pieces.add(bytes, link, this);
          }
        } catch (error) {
          throw this.located(error, link);
        }
      }
    }
    return pieces.apply();
  }

  /** Where in the chain to stop and apply, so that no chain needs the memory of all its chunks. */
  private endOfStep(chain: readonly Rev[], first: number): number {
    let bytes = this.chunkLength(chain[first]);
    let end = first + 1;
    while (end < chain.length && bytes < chunkBytesAtOnce) bytes += this.chunkLength(chain[end++]);
    return end;
  }

  private readChunks(revs: readonly Rev[]): Uint8Array[] {
    if (!this.isInline) return this.chunks.read(revs.map((rev) => this.chunkPlace(rev)));
    return revs.map((rev) => {
      const start = this.index.inlineChunkStart(rev);
      return this.index.inlineBytes(start, start + this.chunkLength(rev));
    });
  }

  private chunkPlace(rev: Rev): ChunkPlace {
    return { offset: this.index.chunkOffset(rev), length: this.chunkLength(rev) };
  }

  private *chunkPieces(rev: Rev): Generator<Uint8Array> {
    const { offset, length } = this.chunkPlace(rev);
    if (this.isInline) {
      yield this.chunk(rev);
      return;
    }
    const buffer = Buffer.allocUnsafe(Math.min(length, 256 * 1024));
    for (let at = 0; at < length; at += buffer.length) {
      const piece = buffer.subarray(0, Math.min(buffer.length, length - at));
      this.chunks.fill(piece, offset + at);
      yield piece;
    }
  }

  private decode(rev: Rev, chunk: Uint8Array): Uint8Array {
    const parent = this.deltaParent(rev);
    const textLength = this.possibleLength(rev);
    // A delta may be longer than either text, by a head of 12 bytes for each piece of a byte that it keeps.
    const limit = parent === nullRev ? textLength : 16 * Math.max(textLength, this.possibleLength(parent)) + 65_536;
    return decodeChunk(chunk, Math.min(limit, longestText), this.describe(rev));
  }

  /** What a chunk's reader threw, with where the chunk is. */
  private located(error: unknown, rev: Rev): unknown {
    if (!(error instanceof EngineError) || error.kind !== 'corrupt') return error;
    const subject = this.isInline ? this.path : this.chunks.path;
    return corruptError(error.message, { subject, offset: this.chunkOffset(rev), cause: error });
  }

  /** Very old programs left the length of a text out. */
  private possibleLength(rev: Rev): number {
    const length = this.textLength(rev);
    return length < 0 ? longestText : length;
  }
}
