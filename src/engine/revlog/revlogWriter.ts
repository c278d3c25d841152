import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { decodeChunk } from '../compression/block';
import { corruptError, integrityError } from '../io/errors';
import { DeltaPieces } from './deltaPieces';
import { nullNode, nullRev, type Node, type Rev } from './node';
import { ChainState } from './policy/chainState';
import { chooseDelta } from './policy/chooseDelta';
import type { DeltaSettings } from './policy/deltaSettings';
import { RevisionDeltas, type GivenDelta } from './revisionDeltas';
import { whyWithoutText } from './revisionFlags';
import { Revlog } from './revlog';
import { writeEntry } from './revlogEntry';
import { RevlogFiles, type RevlogPaths, type WriteHooks } from './revlogFiles';
import { entryLength } from './revlogHeader';
import { TextCache } from './textCache';

export type { RevlogPaths, WriteHooks } from './revlogFiles';

const cachedTextBytes = 24 << 20;
const longestText = 0x7fff_ffff;
const empty = new Uint8Array(0);

/** A revision to be added. Its text is given, or a delta that leads to it. */
export type NewRevision = {
  node: Node;
  p1: Rev;
  p2: Rev;
  /** The changelog's revision that brings it. */
  linkrev: number;
  flags?: number;
} & ({ text: Uint8Array } | { delta: { base: Rev; bytes: Uint8Array } });

/**
 * Adds revisions to a revlog, which is made when it is not there. Every text is checked against its node before it is
 * stored. How it is stored is the policy's choice. Nothing is on disk for certain before {@link close}; readers see the
 * revlog without the new revisions until then, or with some of them.
 *
 * All calls are synchronous; `zstdReady` must have been awaited once in the thread.
 *
 * @see `hg help internals.revlogs`
 */
export class RevlogWriter implements Disposable {
  private readonly cache = new TextCache(cachedTextBytes);
  private readonly newRevs = new Map<Node, Rev>();
  private readonly newNodes: Node[] = [];
  private readonly files: RevlogFiles;
  private readonly firstNew: number;

  private constructor(
    private readonly paths: RevlogPaths,
    private readonly settings: DeltaSettings,
    private readonly old: Revlog | undefined,
    private readonly chains: ChainState,
    hooks: WriteHooks,
  ) {
    this.firstNew = chains.length;
    const { length, byteLength } = chains;
    const isInline = old?.isInline ?? true;
    const { isGeneraldelta } = settings;
    this.files = new RevlogFiles(paths, { isInline, isGeneraldelta, length, byteLength }, hooks);
  }

  /**
   * Opens a revlog to add to it.
   * @param settings `isGeneraldelta` is that of the revlog where it is there already, whatever is said here
   * @throws as `Revlog.open`; `corrupt` when an entry cannot be
   */
  static open(paths: RevlogPaths, settings: DeltaSettings, hooks: WriteHooks = {}): RevlogWriter {
    const old = existsSync(paths.index) ? Revlog.open(paths.index, { chunkPath: paths.chunks }) : undefined;
    if (old === undefined || old.length === 0) {
      old?.[Symbol.dispose]();
      return new RevlogWriter(paths, settings, undefined, new ChainState(settings.isSparse), hooks);
    }
    try {
      const isGeneraldelta = old.isGeneraldelta;
      const fitting = { ...settings, isGeneraldelta, isSparse: settings.isSparse && isGeneraldelta };
      return new RevlogWriter(paths, fitting, old, ChainState.of(old, fitting.isSparse), hooks);
    } catch (error) {
      old[Symbol.dispose]();
      throw error;
    }
  }

  /** Number of revisions, with those that were added. */
  get length(): number {
    return this.chains.length;
  }

  /** The revision with this node, added ones among them; the null revision for the null node; undefined for none. */
  find(node: Node): Rev | undefined {
    if (node === nullNode) return nullRev;
    return this.newRevs.get(node) ?? this.old?.find(node);
  }

  node(rev: Rev): Node {
    if (rev === nullRev) return nullNode;
    return rev < this.firstNew && this.old !== undefined ? this.old.node(rev) : this.newNodes[rev - this.firstNew];
  }

  /**
   * Adds a revision; one that is there already is left as it is.
   *
   * @returns its number
   * @throws `integrity` when the text does not hash to the node; `corrupt` when the delta does not apply, or a parent or
   * the delta's base is no earlier revision; `destination` when the disk does not take it
   */
  addRevision(revision: NewRevision): Rev {
    const known = this.find(revision.node);
    if (known !== undefined) return known;
    const { p1, p2, flags = 0 } = revision;
    this.checkEarlier(p1, 'a parent');
    this.checkEarlier(p2, 'a parent');
    const given = this.givenDelta(revision);
    const text = 'text' in revision ? revision.text : this.apply(revision.delta, revision.node);
    if (whyWithoutText(flags) === undefined) this.verify(revision, text);
    return this.store(revision, text, given);
  }

  /**
   * The text of a revision as it is stored. Not to be changed.
   * @throws `corrupt` when it cannot be put together
   */
  rawText(rev: Rev): Uint8Array {
    if (rev === nullRev) return empty;
    const cached = this.cache.get(rev);
    if (cached !== undefined) return cached;
    const text = rev < this.firstNew && this.old !== undefined ? this.old.rawText(rev) : this.putTogether(rev);
    this.cache.add(rev, text);
    return text;
  }

  /** Writes all that was added, and closes the files. @throws `destination` when the disk does not take it */
  close(): void {
    this.files.flush();
    this[Symbol.dispose]();
  }

  /** Closes the files; what was not written yet is dropped. */
  [Symbol.dispose](): void {
    this.files[Symbol.dispose]();
    this.old?.[Symbol.dispose]();
  }

  /** What a revision is called in errors. */
  describe(rev: Rev): string {
    return `Revision ${rev} of ${this.paths.index}`;
  }

  private store(revision: NewRevision, text: Uint8Array, given: GivenDelta | undefined): Rev {
    const { chains, settings } = this;
    const { p1, p2, node, linkrev, flags = 0 } = revision;
    const rev = chains.length as Rev;
    const deltas = new RevisionDeltas(text, (base) => this.rawText(base as Rev), given);
    const { base, chunk } = chooseDelta(chains, settings, {
      p1,
      p2,
      textLength: text.length,
      given: given?.base,
      chunkAgainst: (candidate) => deltas.chunk(candidate, settings.engine, settings.level),
      wholeChunk: () => deltas.chunk(-1, settings.engine, settings.level),
    });
    const offset = chains.byteLength;
    chains.add({ p1, p2, base, chunkLength: chunk.length, textLength: text.length });
    const entry = Buffer.allocUnsafe(entryLength);
    writeEntry(entry, 0, {
      offset,
      flags,
      chunkLength: chunk.length,
      textLength: text.length,
      base: base < 0 ? rev : settings.isGeneraldelta ? base : chains.roots[rev],
      linkrev,
      p1,
      p2,
      node: Buffer.from(node, 'hex'),
    });
    this.newRevs.set(node, rev);
    this.newNodes.push(node);
    this.cache.add(rev, text);
    this.files.add(entry, chunk);
    return rev;
  }

  /** The delta of a revision that came as one. */
  private givenDelta(revision: NewRevision): GivenDelta | undefined {
    if ('text' in revision) return undefined;
    const { base, bytes } = revision.delta;
    this.checkEarlier(base, 'the base of its delta');
    // A delta against nothing is a whole text, in another form.
    return base === nullRev ? undefined : { base, bytes };
  }

  private apply({ base, bytes }: { base: Rev; bytes: Uint8Array }, node: Node): Uint8Array {
    const text = this.rawText(base);
    const pieces = new DeltaPieces(text);
    pieces.add(bytes, this.length as Rev, { describe: () => `${node} for ${this.paths.index}` });
    return pieces.apply();
  }

  private verify({ node, p1, p2 }: NewRevision, text: Uint8Array): void {
    const [one, other] = [this.node(p1), this.node(p2)].sort();
    const hash = createHash('sha1')
      .update(Buffer.from(one + other, 'hex'))
      .update(text)
      .digest('hex');
    if (hash === node) return;
    throw integrityError(
      `What was to be stored as ${node} in ${this.paths.index} does not have the content that its hash stands for.`,
      {
        subject: node,
        advice: 'Nothing of it was kept. If it happens again, the other side is damaged.',
      },
    );
  }

  private checkEarlier(rev: Rev, what: string): void {
    if (rev >= nullRev && rev < this.length) return;
    throw corruptError(`${this.describe(this.length as Rev)} has ${what} ${rev}, which is not there.`, {
      subject: this.paths.index,
    });
  }

  private putTogether(rev: Rev): Uint8Array {
    const chain: Rev[] = [];
    let text: Uint8Array | undefined;
    for (let link = rev as number; link >= 0; link = this.chains.bases[link]) {
      text = this.cache.get(link) ?? (link < this.firstNew ? this.rawText(link as Rev) : undefined);
      if (text !== undefined) break;
      chain.push(link as Rev);
    }
    text ??= this.decodedChunk(chain.pop() ?? rev);
    const deltas = chain.reverse().map((link) => this.decodedChunk(link));
    const pieces = new DeltaPieces(text);
    deltas.forEach((delta, at) => pieces.add(delta, chain[at], this));
    return pieces.apply();
  }

  private decodedChunk(rev: Rev): Uint8Array {
    const chunk = this.files.read(rev, this.chains.offsets[rev], this.chains.chunkLengths[rev]);
    return decodeChunk(chunk, longestText, this.describe(rev));
  }
}
