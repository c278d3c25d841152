import { chunkKindOf, chunkKinds, encodeChunk, type ChunkEngine } from '../compression/block';
import { diffTexts } from './diff';

/** A delta that is there already: it came with the revision, or is how the revision is stored now. */
export interface GivenDelta {
  /** -1 for a whole text. */
  base: number;
  /** The delta, or the whole text. */
  bytes: Uint8Array;
  /** It is that of a merge. */
  isMerge: boolean;
  /** As it is stored, where that can be used again. */
  chunk?: Uint8Array;
}

/** A delta up to this is not worth making again: of a merge, one with a single line, and of others, one with a few. */
const smallMergeDelta = 32;
const smallDelta = 1024;
/** Up to so many bytes, zstd's level. */
const zstdLevels = [
  { most: 4096, level: 6 },
  { most: 128 * 1024, level: 5 },
];

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
    readonly given?: GivenDelta,
  ) {
    if (given !== undefined && given.base >= 0 && isTrusted(given)) this.deltas.set(given.base, given.bytes);
  }

  /** The delta against a base, as hunks. */
  against(base: number): Uint8Array {
    let delta = this.deltas.get(base);
    if (delta === undefined) {
      delta = diffTexts(this.textOf(base), this.text);
      const { given } = this;
      if (given?.base === base && given.bytes.length <= delta.length) delta = given.bytes;
      this.deltas.set(base, delta);
    }
    return delta;
  }

  /** The chunk of the delta against a base, or of the whole text where `base` is -1. */
  chunk(base: number, engine: ChunkEngine, level?: number): Uint8Array {
    const key = `${base} ${engine} ${level ?? ''}`;
    let chunk = this.chunks.get(key);
    if (chunk === undefined) {
      chunk = this.givenChunk(base, engine, level) ?? encodeUsual(this.bytes(base), engine, level);
      // A chunk waits to be written, while the memory of the text may be used again.
      if (chunk === this.text) chunk = Uint8Array.from(chunk);
      this.chunks.set(key, chunk);
    }
    return chunk;
  }

  private bytes(base: number): Uint8Array {
    return base < 0 ? this.text : this.against(base);
  }

  /** A chunk that this engine has made is as good as new; of one that was made at another level nobody knows. */
  private givenChunk(base: number, engine: ChunkEngine, level: number | undefined): Uint8Array | undefined {
    const { given } = this;
    const isSame = given?.base === base && (base < 0 || this.against(base) === given.bytes);
    const chunk = isSame ? given.chunk : undefined;
    if (chunk === undefined || level !== undefined || chunk.length === 0) return undefined;
    return chunkKinds[chunkKindOf(chunk[0])] === engine ? chunk : undefined;
  }
}

/** Others make deltas in haste: those of merges often hold far more than what changed. */
function isTrusted({ bytes, isMerge }: GivenDelta): boolean {
  return bytes.length <= (isMerge ? smallMergeDelta : smallDelta);
}

/**
 * Where no level is asked for, what is short is coded by zstd at a level above Mercurial's own: that takes microseconds,
 * and at Mercurial's it would come out larger here than there, since the two give zstd other hints.
 */
function encodeUsual(bytes: Uint8Array, engine: ChunkEngine, level: number | undefined): Uint8Array {
  if (engine !== 'zstd' || level !== undefined) return encodeChunk(bytes, engine, level);
  const usual = zstdLevels.find(({ most }) => bytes.length <= most);
  return encodeChunk(bytes, engine, usual?.level);
}
