import type { RevlogIndex } from '../revlogIndex';
import type { Rev } from '../node';

/** In `levels`: the revision is no snapshot. */
export const noSnapshot = -1;
const keptSnapshots = 8;

/** What a revision adds to the chains of a revlog. */
export interface StoredDelta {
  p1: number;
  p2: number;
  /** -1 for a whole text. */
  base: number;
  chunkLength: number;
  textLength: number;
}

/**
 * The chains of a revlog that is being written, as columns that grow: what the policy looks at for every candidate, by
 * revision, without allocation.
 */
export class ChainState {
  length = 0;
  bases = new Int32Array(64);
  p1s = new Int32Array(64);
  p2s = new Int32Array(64);
  textLengths = new Int32Array(64);
  chunkLengths = new Uint32Array(64);
  /** Where each chunk begins among all chunks. */
  offsets = new Float64Array(64);
  /** How many chunks make up the text. */
  chainLengths = new Int32Array(64);
  /** Bytes of those chunks. */
  chainSizes = new Float64Array(64);
  /** The whole text that the chain begins with. */
  roots = new Int32Array(64);
  /** How many snapshots are below a snapshot, 0 for whole texts; {@link noSnapshot} for others. */
  levels = new Int16Array(64);
  /** Bytes of all chunks. */
  byteLength = 0;
  /** The last few snapshots, the latest at the end. */
  readonly latestSnapshots: number[] = [];

  constructor(private readonly isSparse: boolean) {}

  /** The chains of a revlog as it is. @throws `corrupt` when an entry cannot be */
  static of(index: RevlogIndex, isSparse: boolean): ChainState {
    const state = new ChainState(isSparse);
    for (let number = 0; number < index.length; number++) {
      const rev = number as Rev;
      state.add({
        p1: index.p1(rev),
        p2: index.p2(rev),
        base: index.deltaParent(rev),
        chunkLength: index.chunkLength(rev),
        textLength: index.textLength(rev),
      });
    }
    return state;
  }

  add({ p1, p2, base, chunkLength, textLength }: StoredDelta): void {
    if (this.length === this.bases.length) this.grow();
    const rev = this.length++;
    const isWhole = base < 0;
    this.bases[rev] = base;
    this.p1s[rev] = p1;
    this.p2s[rev] = p2;
    this.textLengths[rev] = textLength;
    this.chunkLengths[rev] = chunkLength;
    this.offsets[rev] = this.byteLength;
    this.chainLengths[rev] = isWhole ? 1 : this.chainLengths[base] + 1;
    this.chainSizes[rev] = chunkLength + (isWhole ? 0 : this.chainSizes[base]);
    this.roots[rev] = isWhole ? rev : this.roots[base];
    this.levels[rev] = this.levelOn(base, p1, p2);
    this.byteLength += chunkLength;
    if (this.levels[rev] === noSnapshot) return;
    this.latestSnapshots.push(rev);
    if (this.latestSnapshots.length > keptSnapshots) this.latestSnapshots.shift();
  }

  /** The level of a snapshot that a delta against `base` would be; {@link noSnapshot} when it would be none. */
  levelOn(base: number, p1: number, p2: number): number {
    if (base < 0) return 0;
    if (!this.isSparse || base === p1 || base === p2 || this.levels[base] === noSnapshot) return noSnapshot;
    return this.levels[base] + 1;
  }

  private grow(): void {
    const size = this.length * 2;
    const wide = <T extends Int32Array | Uint32Array | Float64Array | Int16Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.bases = wide(new Int32Array(size), this.bases);
    this.p1s = wide(new Int32Array(size), this.p1s);
    this.p2s = wide(new Int32Array(size), this.p2s);
    this.textLengths = wide(new Int32Array(size), this.textLengths);
    this.chunkLengths = wide(new Uint32Array(size), this.chunkLengths);
    this.offsets = wide(new Float64Array(size), this.offsets);
    this.chainLengths = wide(new Int32Array(size), this.chainLengths);
    this.chainSizes = wide(new Float64Array(size), this.chainSizes);
    this.roots = wide(new Int32Array(size), this.roots);
    this.levels = wide(new Int16Array(size), this.levels);
  }
}
