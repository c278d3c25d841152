import { chunkKindOf, chunkKinds, encodeChunk, type ChunkEngine } from '../compression/block';
import { diffTexts } from './diff';

/** A delta that is there already: it came with the revision, or is how the revision is stored now. */
export interface GivenDelta {
  /** -1 for a whole text. */
  base: number;
  /** The delta, or the whole text. */
  bytes: Uint8Array;
  /** As it is stored, where that can be used again. */
  chunk?: Uint8Array;
}

/**
 * What one revision can be stored as: a delta against each base that is asked for, and its whole text, each made once and
 * compressed once, however many policies ask.
 */
export class RevisionDeltas {
  private readonly deltas = new Map<number, Uint8Array>();
  private readonly chunks = new Map<string, Uint8Array>();

  constructor(
    readonly text: Uint8Array,
    private readonly textOf: (rev: number) => Uint8Array,
    private readonly given?: GivenDelta,
  ) {
    if (given !== undefined && given.base >= 0) this.deltas.set(given.base, given.bytes);
  }

  /** The delta against a base, as hunks. */
  against(base: number): Uint8Array {
    let delta = this.deltas.get(base);
    if (delta === undefined) this.deltas.set(base, (delta = diffTexts(this.textOf(base), this.text)));
    return delta;
  }

  /** The chunk of the delta against a base, or of the whole text where `base` is -1. */
  chunk(base: number, engine: ChunkEngine, level?: number): Uint8Array {
    const key = `${base} ${engine} ${level ?? ''}`;
    let chunk = this.chunks.get(key);
    if (chunk === undefined) {
      chunk = this.givenChunk(base, engine, level) ?? encodeChunk(this.bytes(base), engine, level);
      this.chunks.set(key, chunk);
    }
    return chunk;
  }

  private bytes(base: number): Uint8Array {
    return base < 0 ? this.text : this.against(base);
  }

  /** A chunk that this engine has made is as good as new; of one that was made at another level nobody knows. */
  private givenChunk(base: number, engine: ChunkEngine, level: number | undefined): Uint8Array | undefined {
    const chunk = this.given?.base === base ? this.given.chunk : undefined;
    if (chunk === undefined || level !== undefined || chunk.length === 0) return undefined;
    return chunkKinds[chunkKindOf(chunk[0])] === engine ? chunk : undefined;
  }
}
