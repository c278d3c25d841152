import * as l10n from '@vscode/l10n';
import { existsSync } from 'node:fs';
import { decodeChunk } from '../compression/block';
import { corruptError, integrityError } from '../io/errors';
import { ChainTexts } from './chainTexts';
import type { CheckRing } from './checkRing';
import { DeltaPieces } from './deltaPieces';
import { nullNode, nullRev, type Node, type Rev } from './node';
import { hashText } from './nodeOfText';
import { ChainState } from './policy/chainState';
import type { DeltaSettings } from './policy/deltaSettings';
import { RevisionDeltas, type GivenDelta } from './revisionDeltas';
import { censoredFlag, isTombstone, whyWithoutText } from './revisionFlags';
import { Revlog } from './revlog';
import { RevlogFiles, type RevlogPaths, type WriteHooks } from './revlogFiles';
import { StoredRevisions } from './storedRevisions';
import { TextRoom } from './textRoom';

export type { RevlogPaths, WriteHooks } from './revlogFiles';

const cachedTextBytes = 24 << 20;
const longestText = 0x7fff_ffff;

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
 * Adds revisions to a revlog, which is made when it is not there. Every text is checked against its node, by
 * {@link close} at the latest. How it is stored is the policy's choice. Nothing is on disk for certain before then; readers
 * see the revlog without the new revisions until it, or with some of them.
 *
 * All calls are synchronous; `zstdReady` must have been awaited once in the thread.
 *
 * @see `hg help internals.revlogs`
 */
export class RevlogWriter implements Disposable {
  private readonly room = new TextRoom();
  private readonly texts = new ChainTexts(this, cachedTextBytes, this.room);
  private readonly newRevs = new Map<Node, Rev>();
  private readonly newNodes: Node[] = [];
  private readonly files: RevlogFiles;
  private readonly stored: StoredRevisions;
  private readonly firstNew: number;

  private constructor(
    private readonly paths: RevlogPaths,
    settings: DeltaSettings,
    private readonly old: Revlog | undefined,
    private readonly chains: ChainState,
    hooks: WriteHooks,
    private readonly ring: CheckRing | undefined,
  ) {
    this.firstNew = chains.length;
    const { length, byteLength } = chains;
    const isInline = old?.isInline ?? true;
    const { isGeneraldelta } = settings;
    this.files = new RevlogFiles(paths, { isInline, isGeneraldelta, length, byteLength }, hooks);
    this.stored = new StoredRevisions(chains, settings, this.files);
  }

  /**
   * Opens a revlog to add to it.
   * @param settings `isGeneraldelta` is that of the revlog where it is there already, whatever is said here
   * @param ring where long texts are handed to another thread to be checked
   * @throws as `Revlog.open`; `corrupt` when an entry cannot be
   */
  static open(paths: RevlogPaths, settings: DeltaSettings, hooks: WriteHooks = {}, ring?: CheckRing): RevlogWriter {
    const old = existsSync(paths.index) ? Revlog.open(paths.index, { chunkPath: paths.chunks }) : undefined;
    if (old === undefined || old.length === 0) {
      old?.[Symbol.dispose]();
      return new RevlogWriter(paths, settings, undefined, new ChainState(settings.isSparse), hooks, ring);
    }
    try {
      const isGeneraldelta = old.isGeneraldelta;
      const fitting = { ...settings, isGeneraldelta, isSparse: settings.isSparse && isGeneraldelta };
      return new RevlogWriter(paths, fitting, old, ChainState.of(old, fitting.isSparse), hooks, ring);
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
   * @throws `integrity` when the text does not hash to the node; `corrupt` when the delta does not apply, a parent or the
   * delta's base is no earlier revision, or a censored one has a text; `destination` when the disk does not take it
   */
  addRevision(revision: NewRevision): Rev {
    const known = this.find(revision.node);
    if (known !== undefined) return known;
    const { p1, p2, flags = 0 } = revision;
    this.checkEarlier(p1, l10n.t('a parent'));
    this.checkEarlier(p2, l10n.t('a parent'));
    const given = this.givenDelta(revision);
    const text = 'text' in revision ? revision.text : this.apply(revision.delta, revision.node);
    if (whyWithoutText(flags) === undefined) this.verify(revision, text);
    else if ((flags & censoredFlag) !== 0 && !isTombstone(text)) throw notCensored(revision.node, this.paths.index);
    return this.store(revision, text, given);
  }

  /**
   * The text of a revision as it is stored. Not to be changed, nor to be held while revisions are added: its memory is
   * used again.
   * @throws `corrupt` when it cannot be put together
   */
  rawText(rev: Rev): Uint8Array {
    return this.texts.rawText(rev);
  }

  /**
   * Writes all that was added, and closes the files.
   * @throws `destination` when the disk does not take it; `integrity` for a text that does not hash to its node
   */
  close(): void {
    const wrong = this.ring?.settle();
    if (wrong !== undefined) throw this.wrongText(wrong);
    this.files.flush();
    this[Symbol.dispose]();
  }

  /** Closes the files; what was not written yet is dropped. */
  [Symbol.dispose](): void {
    this.files[Symbol.dispose]();
    this.old?.[Symbol.dispose]();
  }

  /** The revision that a revision is stored as a delta against; -1 for a whole text. */
  baseOf(rev: number): number {
    return this.chains.bases[rev];
  }

  /** The deltas, or the whole texts, that revisions are stored as, in order. @throws `corrupt` when one is damaged */
  *decodedChunks(revs: readonly Rev[]): Generator<[Rev, Uint8Array]> {
    const { old, firstNew } = this;
    if (old !== undefined) yield* old.decodedChunks(revs.filter((rev) => rev < firstNew));
    for (const rev of revs) {
      if (rev < firstNew) continue;
      const chunk = this.files.read(rev, this.chains.offsets[rev], this.chains.chunkLengths[rev]);
      yield [rev, decodeChunk(chunk, longestText, this.describe(rev))];
    }
  }

  /** What a revision is called in errors. */
  describe(rev: Rev): string {
    return `Revision ${rev} (${this.paths.index})`;
  }

  private store(revision: NewRevision, text: Uint8Array, given: GivenDelta | undefined): Rev {
    const { p1, p2, node, linkrev, flags = 0 } = revision;
    const deltas = new RevisionDeltas(text, (base) => this.texts.rawText(base), given);
    const rev = this.stored.add({ node: Buffer.from(node, 'hex'), p1, p2, linkrev, flags }, deltas);
    this.newRevs.set(node, rev);
    this.newNodes.push(node);
    this.texts.add(rev, text);
    return rev;
  }

  /** The delta of a revision that came as one. */
  private givenDelta(revision: NewRevision): GivenDelta | undefined {
    if ('text' in revision) return undefined;
    const { base, bytes } = revision.delta;
    this.checkEarlier(base, l10n.t('the base of its delta'));
    // A delta against nothing is a whole text, in another form.
    return base === nullRev ? undefined : { base, bytes, isMerge: revision.p2 !== nullRev };
  }

  private apply({ base, bytes }: { base: Rev; bytes: Uint8Array }, node: Node): Uint8Array {
    const text = this.rawText(base);
    const pieces = new DeltaPieces(text);
    pieces.add(bytes, this.length as Rev, { describe: () => `${node} for ${this.paths.index}` });
    return pieces.apply(this.room);
  }

  private verify({ node, p1, p2 }: NewRevision, text: Uint8Array): void {
    const [one, other] = [this.node(p1), this.node(p2)];
    const { ring } = this;
    if (ring?.wrong !== undefined) throw this.wrongText(ring.wrong);
    if (ring?.offer(node, one, other, text) === true) return;
    if (hashText(one, other, text) !== node) throw this.wrongText(node);
  }

  private wrongText(node: Node): Error {
    return integrityError(
      l10n.t(
        'What was to be stored as {0} in {1} does not have the content that its hash stands for.',
        node,
        this.paths.index,
      ),
      {
        subject: node,
        advice: l10n.t('Nothing of it was kept. If it happens again, the other side is damaged.'),
      },
    );
  }

  private checkEarlier(rev: Rev, what: string): void {
    if (rev >= nullRev && rev < this.length) return;
    throw corruptError(l10n.t('{0} has {1} {2}, which is not there.', this.describe(this.length as Rev), what, rev), {
      subject: this.paths.index,
    });
  }
}

/** With the flag alone, any text could be stored without a check. */
function notCensored(node: Node, index: string): Error {
  return corruptError(l10n.t('Revision {0} of {1} is marked as censored, and has a text.', node, index), {
    subject: node,
  });
}
