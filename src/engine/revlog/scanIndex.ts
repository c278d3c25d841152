import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { Faults } from './indexFaults';
import { knownFlags } from './revisionFlags';
import { emptyHeader, entryLength, parseRevlogHeader, type RevlogHeader } from './revlogHeader';

const blockLength = 4 << 20;

/** The fields of an index as columns, as they stand there, apart from what cannot be: that is a fault. */
export interface IndexColumns {
  header: RevlogHeader;
  count: number;
  /** Of the index file, when it was opened. */
  byteLength: number;
  offsets: Float64Array<ArrayBuffer>;
  chunkLengths: Uint32Array<ArrayBuffer>;
  textLengths: Int32Array<ArrayBuffer>;
  /** The base field, or `brokenBase`. */
  bases: Int32Array<ArrayBuffer>;
  p1s: Int32Array<ArrayBuffer>;
  p2s: Int32Array<ArrayBuffer>;
  /** First bytes of the chunks of an inline revlog; undefined for others. 0 for an empty chunk. */
  firstBytes?: Uint8Array<ArrayBuffer>;
}

/** In `bases`: the base is no earlier revision, nor the revision itself. */
export const brokenBase = -2;

/**
 * Reads the whole of an index once, from beginning to end, in blocks. Damage is noted in `faults`, and what can be read
 * is read: an entry that is not all there is left out.
 *
 * @throws `unsupported` when it is no revlog of version 1, `cancelled`, the file system's own error
 * @see `hg help internals.revlogs`
 */
export function scanIndex(path: string, faults: Faults, operation: Operation): IndexColumns {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    return new IndexScan(path, file, size, faults, operation).run();
  } finally {
    closeSync(file);
  }
}

class IndexScan {
  private readonly block: Buffer;
  private readonly view: DataView;
  private blockStart = 0;
  private blockEnd = 0;
  private columns!: IndexColumns; // Made by `run`, before anything else.

  constructor(
    private readonly path: string,
    private readonly file: number,
    private readonly size: number,
    private readonly faults: Faults,
    private readonly operation: Operation,
  ) {
    this.block = Buffer.allocUnsafeSlow(Math.min(blockLength, Math.max(size, entryLength)));
    this.view = new DataView(this.block.buffer);
  }

  run(): IndexColumns {
    this.turnTo(0);
    const header = this.blockEnd < 4 ? emptyHeader : parseRevlogHeader(this.view.getInt32(0), this.path);
    const capacity = header.isInline
      ? Math.min(1024, Math.ceil(this.size / entryLength))
      : Math.floor(this.size / entryLength);
    this.columns = newColumns(header, capacity, this.size);
    const end = this.scan(header.isInline);
    if (end !== this.size) {
      this.faults.add('cutShort', this.columns.count, () =>
        l10n.t(
          'The index ends within revision {0}: {1} bytes at its end are no whole entry.',
          this.columns.count,
          this.size - end,
        ),
      );
    }
    return shortened(this.columns);
  }

  /** Gives where the last whole entry, and its chunk when inline, ends. */
  private scan(isInline: boolean): number {
    let position = 0;
    let expected = 0;
    for (let rev = 0; position + entryLength <= this.size; rev++) {
      if (position + entryLength > this.blockEnd) this.turnTo(position);
      if (position + entryLength > this.blockEnd) break; // It became shorter.
      if (rev === this.columns.bases.length) this.columns = widened(this.columns);
      const length = this.readEntry(position - this.blockStart, rev, expected);
      position += entryLength;
      if (isInline) {
        if (position + length > this.size) return position - entryLength;
        this.readFirstByte(position, length, rev);
        position += length;
      }
      expected = this.columns.offsets[rev] + length;
      this.columns.count = rev + 1;
    }
    return position;
  }

  /** Called for each of millions: no object is made unless there is a fault. Gives the chunk's length. */
  private readEntry(at: number, rev: number, expected: number): number {
    const { view, columns } = this;
    const offset = rev === 0 ? 0 : view.getUint16(at) * 0x1_0000_0000 + view.getUint32(at + 2);
    const flags = view.getUint16(at + 6);
    const length = view.getUint32(at + 8);
    const textLength = view.getInt32(at + 12);
    const base = view.getInt32(at + 16);
    const p1 = view.getInt32(at + 24);
    const p2 = view.getInt32(at + 28);
    columns.offsets[rev] = offset;
    columns.chunkLengths[rev] = length;
    columns.textLengths[rev] = textLength;
    columns.bases[rev] = base >= 0 && base <= rev ? base : brokenBase;
    columns.p1s[rev] = p1;
    columns.p2s[rev] = p2;
    if (
      offset !== expected ||
      (flags & ~knownFlags) !== 0 ||
      textLength < -1 ||
      base < 0 ||
      base > rev ||
      p1 < -1 ||
      p1 >= rev ||
      p2 < -1 ||
      p2 >= rev
    ) {
      this.noteFaults(rev, { offset, expected, flags, textLength, base, parents: [p1, p2] });
    }
    return length;
  }

  private noteFaults(
    rev: number,
    entry: { offset: number; expected: number; flags: number; textLength: number; base: number; parents: number[] },
  ): void {
    const { offset, expected, flags, textLength, base, parents } = entry;
    if (offset !== expected) {
      const where = l10n.t('begins at byte {0}, the one before it ends at {1}', offset, expected);
      this.faults.add('gap', rev, () => l10n.t('The chunk of revision {0} {1}.', rev, where));
    }
    if ((flags & ~knownFlags) !== 0) {
      this.faults.add('flags', rev, () =>
        l10n.t('Revision {0} has flags that are not known (0x{1}).', rev, flags.toString(16)),
      );
    }
    if (textLength < -1) {
      this.faults.add('length', rev, () => l10n.t('Revision {0} claims a text of {1} bytes.', rev, textLength));
    }
    if (base < 0 || base > rev) {
      this.faults.add('base', rev, () =>
        l10n.t('Revision {0} is a delta against revision {1}, which is not before it.', rev, base),
      );
    }
    for (const parent of parents) {
      if (parent >= -1 && parent < rev) continue;
      this.faults.add('parent', rev, () =>
        l10n.t('Revision {0} has the parent {1}, which is not before it.', rev, parent),
      );
    }
  }

  private readFirstByte(position: number, length: number, rev: number): void {
    const firstBytes = this.columns.firstBytes;
    if (firstBytes === undefined) return;
    if (length === 0) firstBytes[rev] = 0;
    else {
      if (position >= this.blockEnd) this.turnTo(position);
      firstBytes[rev] = this.block[position - this.blockStart];
    }
  }

  private turnTo(position: number): void {
    throwIfCancelled(this.operation);
    const count = readSync(this.file, this.block, 0, this.block.length, position);
    this.blockStart = position;
    this.blockEnd = position + count;
    this.operation.progress({
      type: 'phase',
      phase: 'index',
      state: this.blockEnd >= this.size ? 'done' : 'running',
      done: this.blockEnd,
      total: this.size,
      unit: 'bytes',
    });
  }
}

function newColumns(header: RevlogHeader, capacity: number, byteLength: number): IndexColumns {
  return {
    header,
    count: 0,
    byteLength,
    offsets: new Float64Array(capacity),
    chunkLengths: new Uint32Array(capacity),
    textLengths: new Int32Array(capacity),
    bases: new Int32Array(capacity),
    p1s: new Int32Array(capacity),
    p2s: new Int32Array(capacity),
    firstBytes: header.isInline ? new Uint8Array(capacity) : undefined,
  };
}

/** The same with room for twice as many: how many entries are in an inline index shows only at its end. */
function widened(columns: IndexColumns): IndexColumns {
  const wide = newColumns(columns.header, Math.max(16, columns.bases.length * 2), columns.byteLength);
  wide.count = columns.count;
  wide.offsets.set(columns.offsets);
  wide.chunkLengths.set(columns.chunkLengths);
  wide.textLengths.set(columns.textLengths);
  wide.bases.set(columns.bases);
  wide.p1s.set(columns.p1s);
  wide.p2s.set(columns.p2s);
  if (columns.firstBytes !== undefined) wide.firstBytes?.set(columns.firstBytes);
  return wide;
}

function shortened(columns: IndexColumns): IndexColumns {
  const { count } = columns;
  if (count === columns.bases.length) return columns;
  return {
    ...columns,
    offsets: columns.offsets.slice(0, count),
    chunkLengths: columns.chunkLengths.slice(0, count),
    textLengths: columns.textLengths.slice(0, count),
    bases: columns.bases.slice(0, count),
    p1s: columns.p1s.slice(0, count),
    p2s: columns.p2s.slice(0, count),
    firstBytes: columns.firstBytes?.slice(0, count),
  };
}
