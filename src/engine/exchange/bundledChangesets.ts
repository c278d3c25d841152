import * as l10n from '@vscode/l10n';
import type { ChangegroupRevision } from '../bundle/changegroupReader';
import type { PhaseHead } from '../bundle/phaseHeads';
import { integrityError } from '../io/errors';
import { DeltaPieces } from '../revlog/deltaPieces';
import { nullNode, nullRev, type Node } from '../revlog/node';
import { hashText } from '../revlog/nodeOfText';
import { whyWithoutText } from '../revlog/revisionFlags';
import type { Revlog } from '../revlog/revlog';
import type { BundledChangeset } from './bundleContents';
import { parseChangesetWords } from './changesetWords';

/** So many changesets are told, the newest, and so many bytes of texts are kept for deltas against them. */
const mostTold = 20_000;
const mostTextBytes = 64 << 20;
const hunkHead = 12;

/** The changesets of a bundle, put together as they come, with the help of repositories that may have what they build on. */
export class BundledChangesets {
  readonly unreadable: Node[] = [];
  private told: BundledChangeset[] = [];
  private readonly texts = new Map<Node, Uint8Array>();
  private textBytes = 0;
  private readonly parents = new Map<Node, readonly Node[]>();

  constructor(private readonly changelogs: readonly Revlog[]) {}

  /** @throws `integrity` for a text that is not what its node stands for, `corrupt` for one that is no changeset */
  add(revision: ChangegroupRevision): void {
    const { node, p1, p2 } = revision;
    const parents = [p1, p2].filter((parent) => parent !== nullNode);
    this.parents.set(node, parents);
    const text = whyWithoutText(revision.flags) === undefined ? this.textOf(revision) : undefined;
    if (text === undefined) {
      this.unreadable.push(node);
      return;
    }
    this.keep(node, text);
    const words = parseChangesetWords(text, node, parents);
    this.told.push({ ...words, files: words.files.length });
    if (this.told.length >= 2 * mostTold) this.told = this.told.slice(-mostTold);
  }

  /** Newest first, with the phases that these heads give them. */
  newestFirst(heads: readonly PhaseHead[]): BundledChangeset[] {
    const phases = this.phasesBelow(heads);
    return this.told
      .slice(-mostTold)
      .reverse()
      .map((changeset) => ({ ...changeset, phase: phases.get(changeset.node) }));
  }

  private textOf({ node, p1, p2, base, delta }: ChangegroupRevision): Uint8Array | undefined {
    const from = base === nullNode ? new Uint8Array(0) : (this.texts.get(base) ?? this.stored(base));
    if (from === undefined) return wholeText(delta, (text) => hashText(p1, p2, text) === node);
    const pieces = new DeltaPieces(from);
    pieces.add(delta, nullRev, { describe: () => `Changeset ${node}` });
    const text = pieces.apply();
    if (hashText(p1, p2, text) === node) return text;
    throw integrityError(l10n.t('Changeset {0} does not have the content that its hash stands for.', node), {
      subject: node,
    });
  }

  private stored(node: Node): Uint8Array | undefined {
    for (const changelog of this.changelogs) {
      const rev = changelog.find(node);
      if (rev !== undefined) return changelog.text(rev);
    }
    return undefined;
  }

  private keep(node: Node, text: Uint8Array): void {
    this.texts.set(node, text);
    this.textBytes += text.length;
    for (const [oldest, { length }] of this.texts) {
      if (this.textBytes <= mostTextBytes) break;
      this.texts.delete(oldest);
      this.textBytes -= length;
    }
  }

  /** A head's phase is the highest that it and its ancestors may have. */
  private phasesBelow(heads: readonly PhaseHead[]): Map<Node, number> {
    const phases = new Map<Node, number>();
    const lower = (node: Node, phase: number) => phases.set(node, Math.min(phase, phases.get(node) ?? phase));
    for (const { node, phase } of heads) lower(node, phase);
    // Parents come before their children.
    for (const [node, parents] of [...this.parents].reverse()) {
      const phase = phases.get(node);
      if (phase !== undefined) for (const parent of parents) lower(parent, phase);
    }
    return phases;
  }
}

/** A delta of one hunk may be the whole text, whatever it was a delta against. */
function wholeText(delta: Uint8Array, isRight: (text: Uint8Array) => boolean): Uint8Array | undefined {
  if (delta.length < hunkHead) return undefined;
  const head = Buffer.from(delta.buffer, delta.byteOffset, hunkHead);
  const isOne = head.readUInt32BE(0) === 0 && head.readUInt32BE(8) === delta.length - hunkHead;
  const text = delta.subarray(hunkHead);
  return isOne && isRight(text) ? text : undefined;
}
