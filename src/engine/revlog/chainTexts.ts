import { DeltaPieces, type RevisionNames } from './deltaPieces';
import type { Rev } from './node';
import { TextCache } from './textCache';
import type { TextRoom } from './textRoom';

const deltaBytesAtOnce = 64 << 20;
const empty = new Uint8Array(0);

/** A revlog whose chunks can be had by revision, in whatever state it is. */
export interface ChunkSource extends RevisionNames {
  /** The revision that the chunk is a delta against, -1 for a whole text. */
  baseOf(rev: number): number;
  /** The delta or the whole text of each, in order. @throws `corrupt` */
  decodedChunks(revs: readonly Rev[]): Iterable<[Rev, Uint8Array]>;
}

/**
 * Texts of a revlog whose revisions are asked for more or less in order, such as when it is written, or written again:
 * the last ones are kept, up to so many bytes, and a text is put together from the nearest one on its chain.
 */
export class ChainTexts {
  private readonly cache: TextCache;

  /** @param room where texts are put together, for those who hold none longer than its doc says */
  constructor(
    private readonly source: ChunkSource,
    mostBytes: number,
    private readonly room?: TextRoom,
  ) {
    this.cache = new TextCache(mostBytes, (text) => room?.dropped(text));
  }

  /** Notes the text of a revision that was just stored. */
  add(rev: number, text: Uint8Array): void {
    this.cache.add(rev, text);
  }

  /**
   * The text of a revision as it is stored; nothing for the null revision. Not to be changed.
   * @throws `corrupt` when it cannot be put together
   */
  rawText(rev: number): Uint8Array {
    if (rev < 0) return empty;
    const cached = this.cache.get(rev);
    if (cached !== undefined) return cached;
    const text = this.putTogether(rev);
    this.cache.add(rev, text);
    return text;
  }

  private putTogether(rev: number): Uint8Array {
    const { source } = this;
    const chain: Rev[] = [];
    let text: Uint8Array | undefined;
    for (let link = rev; link >= 0 && text === undefined; link = source.baseOf(link)) {
      text = this.cache.get(link);
      if (text === undefined) chain.push(link as Rev);
    }
    let pieces = text === undefined ? undefined : new DeltaPieces(text);
    for (const [link, bytes] of source.decodedChunks(chain.reverse())) {
      if (pieces === undefined) pieces = new DeltaPieces(bytes);
      else {
        if (pieces.bytesHeld + bytes.length > deltaBytesAtOnce) pieces = new DeltaPieces(pieces.apply());
        pieces.add(bytes, link, source);
      }
    }
    return pieces?.apply(this.room) ?? empty;
  }
}
