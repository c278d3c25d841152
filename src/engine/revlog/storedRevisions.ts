import type { Rev } from './node';
import type { ChainState } from './policy/chainState';
import { chooseDelta } from './policy/chooseDelta';
import type { DeltaSettings } from './policy/deltaSettings';
import type { RevisionDeltas } from './revisionDeltas';
import { writeEntry } from './revlogEntry';
import { entryLength } from './revlogHeader';

/** Where entries of 64 bytes, without the header, and their chunks go; both stay as they are. */
export interface RevisionSink {
  add(entry: Buffer, chunk: Uint8Array): void;
}

/** What an entry says beside how its text is stored. */
export interface RevisionFields {
  /** 20 bytes. */
  node: Uint8Array;
  p1: number;
  p2: number;
  linkrev: number;
  flags: number;
}

/**
 * Revisions as one policy stores them, one after another. Every writer goes this way, and so does every prediction of what
 * a writer would write.
 */
export class StoredRevisions {
  constructor(
    readonly chains: ChainState,
    readonly settings: DeltaSettings,
    private readonly sink: RevisionSink,
  ) {}

  /** Stores a revision as the policy chooses; gives its number. */
  add(fields: RevisionFields, deltas: RevisionDeltas): Rev {
    const { chains, settings } = this;
    const { engine, level } = settings;
    const { p1, p2 } = fields;
    const textLength = deltas.text.length;
    const { base, chunk } = chooseDelta(chains, settings, {
      p1,
      p2,
      textLength,
      given: deltas.given?.base,
      chunkAgainst: (candidate) => deltas.chunk(candidate, engine, level),
      wholeChunk: () => deltas.chunk(-1, engine, level),
    });
    const rev = chains.length as Rev;
    const offset = chains.byteLength;
    chains.add({ p1, p2, base, chunkLength: chunk.length, textLength });
    const entry = Buffer.allocUnsafe(entryLength);
    writeEntry(entry, 0, {
      ...fields,
      offset,
      chunkLength: chunk.length,
      textLength,
      base: base < 0 ? rev : settings.isGeneraldelta ? base : chains.roots[rev],
    });
    this.sink.add(entry, chunk);
    return rev;
  }
}
