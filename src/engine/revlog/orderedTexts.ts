import { EngineError } from '../io/errors';
import { DeltaPieces } from './deltaPieces';
import { nullRev, type Rev } from './node';
import type { Revlog } from './revlog';
import { TextCache } from './textCache';
import { TextRoom } from './textRoom';

const keptTextBytes = 12 << 20;
/** For so many revisions chunks are asked for at once. */
const revisionsAhead = 1024;

/** A revision's text, and what its chunk holds: the same, or a delta. */
export interface ReadText {
  text: Uint8Array;
  chunk: Uint8Array;
}

/**
 * The texts of a revlog for those who want one after another: chunks are read ahead in the order of the file, and each
 * text is made from the one it is a delta against, which mostly was among the last ones.
 */
export class OrderedTexts {
  private readonly room = new TextRoom();
  private readonly cache = new TextCache(keptTextBytes, (text) => this.room.dropped(text));
  private chunks: Generator<[Rev, Uint8Array]> | undefined;

  /** @param end the revision before which reading ahead stops */
  constructor(
    private readonly revlog: Revlog,
    private readonly end: number = revlog.length,
  ) {}

  /**
   * The text of a revision, checked against its node. Not to be changed, and valid until the next call.
   * @throws as `Revlog.text`
   */
  read(rev: Rev): ReadText {
    try {
      const chunk = this.chunk(rev);
      const text = this.textFrom(rev, chunk);
      if (this.isSound(rev, text)) {
        this.cache.add(rev, text);
        return { text, chunk };
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
    // What is wrong, and where, is told by whoever reads it alone.
    return { text: this.revlog.text(rev), chunk: this.revlog.decodedChunk(rev) };
  }

  private chunk(rev: Rev): Uint8Array {
    const next = this.chunks?.next();
    if (next?.done === false && next.value[0] === rev) return next.value[1];
    const count = Math.min(this.end - rev, revisionsAhead);
    this.chunks = this.revlog.decodedChunks(Array.from({ length: count }, (_, at) => (rev + at) as Rev));
    const first = this.chunks.next();
    return first.done === true ? this.revlog.decodedChunk(rev) : first.value[1];
  }

  private textFrom(rev: Rev, chunk: Uint8Array): Uint8Array {
    const base = this.revlog.deltaParent(rev);
    if (base === nullRev) return chunk;
    const pieces = new DeltaPieces(this.baseText(base));
    pieces.add(chunk, rev, this.revlog);
    return pieces.apply(this.room);
  }

  private baseText(base: Rev): Uint8Array {
    let text = this.cache.get(base);
    if (text === undefined) {
      text = this.revlog.rawText(base);
      this.cache.add(base, text);
    }
    return text;
  }

  private isSound(rev: Rev, text: Uint8Array): boolean {
    const { revlog } = this;
    const promised = revlog.textLength(rev);
    if (promised >= 0 && promised !== text.length) return false;
    return revlog.hashHead(rev).update(text).digest('hex') === revlog.node(rev);
  }
}
