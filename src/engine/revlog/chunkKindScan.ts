import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { chunkKindOf, chunkKinds } from '../compression/block';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { Faults } from './indexFaults';
import type { IndexColumns } from './scanIndex';

/** Small chunks are read through, in blocks of this size; among large ones only beginnings are read. */
const blockLength = 1 << 20;
const shortRead = 4096;
const largeChunk = 64 * 1024;
/** How many chunks a sample looks at, evenly spread. */
const sampleSize = 2000;
const emptyKind = chunkKinds.indexOf('empty');
const unseenKind = chunkKinds.indexOf('unseen');
const missing = -1;
const unseen = -2;
const unknownKind = chunkKinds.indexOf('unknown');

/**
 * The kind of each chunk, by its first byte: a position in `chunkKinds`. Reads the chunks' file from beginning to end, as
 * much of it as it takes. Chunks past the file's end are faults, of unknown kind; so are first bytes of no known kind.
 * Undefined when there is no file. Where not all are asked for, a sample is looked at, and the others are `unseen`.
 *
 * @throws `cancelled`, the file system's own error
 */
export function scanChunkKinds(
  index: IndexColumns,
  chunkPath: string,
  isAll: boolean,
  faults: Faults,
  operation: Operation,
): Uint8Array<ArrayBuffer> | undefined {
  const kinds = new Uint8Array(index.count).fill(unknownKind);
  const chunks = index.header.isInline
    ? new InlineBeginnings(index)
    : ChunkBeginnings.open(index, chunkPath, operation);
  if (chunks === undefined) return undefined;
  const step = isAll ? 1 : Math.ceil(index.count / sampleSize);
  try {
    for (let rev = 0; rev < index.count; rev++) {
      if (index.chunkLengths[rev] === 0) {
        kinds[rev] = emptyKind;
        continue;
      }
      const first = rev % step === 0 ? chunks.firstByte(rev) : chunks.isThere(rev) ? unseen : missing;
      if (first === unseen) kinds[rev] = unseenKind;
      else if (first === missing) {
        const end = index.offsets[rev] + index.chunkLengths[rev];
        faults.add('pastEnd', rev, () =>
          l10n.t('The chunk of revision {0} ends at byte {1}, past the end of its file.', rev, end),
        );
      } else if ((kinds[rev] = chunkKindOf(first)) === unknownKind) {
        faults.add('kind', rev, () =>
          l10n.t('The chunk of revision {0} begins with 0x{1}, which is no kind.', rev, first.toString(16)),
        );
      }
    }
  } finally {
    chunks[Symbol.dispose]();
  }
  return kinds;
}

/** First bytes that were seen when the index was read. */
class InlineBeginnings implements Disposable {
  constructor(private readonly index: IndexColumns) {}

  isThere(): boolean {
    return true;
  }

  firstByte(rev: number): number {
    return this.index.firstBytes?.[rev] ?? missing;
  }

  [Symbol.dispose](): void {
    // Nothing is open.
  }
}

class ChunkBeginnings implements Disposable {
  private readonly block: Buffer;
  private start = 0;
  private end = 0;

  private constructor(
    private readonly index: IndexColumns,
    private readonly file: number,
    private readonly size: number,
    private readonly operation: Operation,
  ) {
    const isLarge = size / Math.max(1, index.count) > largeChunk;
    this.block = Buffer.allocUnsafeSlow(isLarge ? shortRead : blockLength);
  }

  static open(index: IndexColumns, path: string, operation: Operation): ChunkBeginnings | undefined {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return new ChunkBeginnings(index, file, fstatSync(file).size, operation);
  }

  /** Whether the chunk is in the file with all its bytes. */
  isThere(rev: number): boolean {
    return this.index.offsets[rev] + this.index.chunkLengths[rev] <= this.size;
  }

  firstByte(rev: number): number {
    if (!this.isThere(rev)) return missing;
    const offset = this.index.offsets[rev];
    if (offset < this.start || offset >= this.end) this.turnTo(offset);
    return offset < this.end ? this.block[offset - this.start] : missing;
  }

  [Symbol.dispose](): void {
    closeSync(this.file);
  }

  private turnTo(offset: number): void {
    throwIfCancelled(this.operation);
    this.start = offset;
    this.end = offset + readSync(this.file, this.block, 0, this.block.length, offset);
    this.operation.progress({
      type: 'phase',
      phase: 'read',
      state: this.end >= this.size ? 'done' : 'running',
      done: this.end,
      total: this.size,
      unit: 'bytes',
    });
  }
}
