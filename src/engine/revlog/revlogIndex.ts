import * as l10n from '@vscode/l10n';
import { createHash, type Hash } from 'node:crypto';
import { corruptError, integrityError, type EngineError } from '../io/errors';
import type { IndexFile } from './indexFile';
import { nodeAt, nullNode, nullRev, type Node, type Rev } from './node';
import { NodeTable } from './nodeTable';

/** Where the fields of an entry are; all numbers are big-endian. */
const flagsField = 6;
const chunkLengthField = 8;
const textLengthField = 12;
const baseField = 16;
const linkrevField = 20;
const p1Field = 24;
const p2Field = 28;
const nodeField = 32;
const nodeLength = 20;

/** In a short history a node is found by looking at each, as long as that is not done often. */
const shortHistory = 32;
const firstSearch = 16_384;

/**
 * What the index alone tells of a history: nodes, parents, sizes, and how chunks are built on each other.
 * @see `hg help internals.revlogs`
 */
export class RevlogIndex implements Disposable {
  readonly path: string;
  /** Number of revisions. */
  readonly length: number;
  readonly isInline: boolean;
  readonly isGeneraldelta: boolean;
  private table: NodeTable | undefined;
  private searches = 0;

  constructor(protected readonly index: IndexFile) {
    this.path = index.path;
    this.length = index.length;
    this.isInline = index.header.isInline;
    this.isGeneraldelta = index.header.isGeneraldelta;
  }

  [Symbol.dispose](): void {
    this.index[Symbol.dispose]();
  }

  node(rev: Rev): Node {
    return rev === nullRev ? nullNode : (this.index.hex(rev, nodeField, nodeLength) as Node);
  }

  /** Copies the 20 bytes of a node to `at`. */
  copyNode(rev: Rev, target: Uint8Array, at: number): void {
    if (rev === nullRev) target.fill(0, at, at + nodeLength);
    else this.index.copy(rev, nodeField, nodeLength, target, at);
  }

  /** The revision with this node; the null revision for the null node; undefined when there is none. */
  find(node: Node): Rev | undefined {
    return this.findNode(Buffer.from(node, 'hex'), 0);
  }

  /** The same for a node's 20 bytes at `at`. */
  findNode(bytes: Uint8Array, at: number): Rev | undefined {
    const rev = this.table?.find(bytes, at) ?? this.search(bytes, at);
    if (rev >= 0) return rev as Rev;
    return nodeAt(bytes, at) === nullNode ? nullRev : undefined;
  }

  /** @throws `corrupt` when it is no earlier revision */
  p1(rev: Rev): Rev {
    return this.parent(rev, p1Field);
  }

  /** @throws `corrupt` when it is no earlier revision */
  p2(rev: Rev): Rev {
    return this.parent(rev, p2Field);
  }

  /** The changelog's revision that brought this one. */
  linkrev(rev: Rev): Rev {
    return this.index.int32(rev, linkrevField) as Rev;
  }

  flags(rev: Rev): number {
    return this.index.uint16(rev, flagsField);
  }

  /** Bytes of the text. */
  textLength(rev: Rev): number {
    return this.index.int32(rev, textLengthField);
  }

  /** Bytes of the chunk. */
  chunkLength(rev: Rev): number {
    return this.index.int32(rev, chunkLengthField) >>> 0;
  }

  /** Where the chunk begins: in the index file when inline, else in the chunks' file. */
  chunkOffset(rev: Rev): number {
    return this.isInline ? this.index.inlineChunkStart(rev) : this.index.chunkOffset(rev);
  }

  /** Where the revision's entry begins in the index file. */
  entryOffset(rev: Rev): number {
    return this.index.entryOffset(rev);
  }

  /**
   * The revision that the chunk is a delta against; the null revision when the chunk holds a whole text.
   * @throws `corrupt` when it is no earlier revision
   */
  deltaParent(rev: Rev): Rev {
    const base = this.index.int32(rev, baseField);
    if (base < 0 || base > rev) throw this.malformed(rev, l10n.t('is a delta against revision {0}', base));
    if (base === rev) return nullRev;
    // Without generaldelta the base is where the chain begins.
    return (this.isGeneraldelta ? base : rev - 1) as Rev;
  }

  /** The revisions whose chunks make up the text: the whole text first, then the deltas, the last of them `rev`'s. */
  chain(rev: Rev): Rev[] {
    return this.chainAbove(rev, -1);
  }

  /** The hash of a revision before its text is added: it begins with the parents' nodes, the smaller one first. */
  hashHead(rev: Rev): Hash {
    const parents = Buffer.alloc(2 * nodeLength);
    this.copyNode(this.p1(rev), parents, 0);
    this.copyNode(this.p2(rev), parents, nodeLength);
    const [first, second] = [parents.subarray(0, nodeLength), parents.subarray(nodeLength)];
    const hash = createHash('sha1');
    return first.compare(second) <= 0 ? hash.update(parents) : hash.update(second).update(first);
  }

  /** The error for a text that does not hash to its node. */
  mismatch(rev: Rev): EngineError {
    return integrityError(l10n.t('{0} does not have the content that its hash stands for.', this.describe(rev)), {
      subject: this.node(rev),
      advice: l10n.t('The store is damaged. Run "hg verify", or clone again.'),
    });
  }

  /** What a revision is called in errors. */
  describe(rev: Rev): string {
    return `Revision ${rev} (${this.path})`;
  }

  /** The chain down to, and without, a revision that is on it; the whole chain when it is not. */
  protected chainAbove(rev: Rev, known: number): Rev[] {
    const chain: Rev[] = [];
    for (let link = rev; link !== nullRev && link !== known; link = this.deltaParent(link)) chain.push(link);
    return chain.reverse();
  }

  /** Looks from the end, as what is asked for is mostly recent; a table is made for those who ask again. */
  private search(bytes: Uint8Array, at: number): number {
    const isCheap = this.length <= shortHistory || (this.searches++ === 0 && this.length <= firstSearch);
    if (!isCheap) {
      this.table = new NodeTable(this.index);
      return this.table.find(bytes, at);
    }
    const wanted = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    const seen = Buffer.alloc(nodeLength);
    for (let rev = this.length - 1; rev >= 0; rev--) {
      if (this.index.int32(rev, nodeField) !== wanted) continue;
      this.index.copy(rev, nodeField, nodeLength, seen, 0);
      if (seen.compare(bytes, at, at + nodeLength) === 0) return rev;
    }
    return -1;
  }

  private parent(rev: Rev, field: number): Rev {
    if (rev === nullRev) return nullRev;
    const parent = this.index.int32(rev, field);
    if (parent < nullRev || parent >= rev) throw this.malformed(rev, l10n.t('has the parent {0}', parent));
    return parent as Rev;
  }

  protected malformed(rev: Rev, how: string): EngineError {
    return corruptError(`${this.describe(rev)} ${how}.`, { subject: this.path, offset: this.entryOffset(rev) });
  }
}
