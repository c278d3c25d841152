import * as l10n from '@vscode/l10n';
import { statSync } from 'node:fs';
import type { Operation } from '../io/operation';
import type { ChainColumns } from './chainColumns';
import { scanChunkKinds } from './chunkKindScan';
import { Faults, type Fault, type FaultKind } from './indexFaults';
import { measureChains } from './measureChains';
import { scanIndex, type IndexColumns } from './scanIndex';
import { measureSparseReads } from './sparseReads';

/** A revlog on disk, and what its repository says of it. */
export interface RevlogSource {
  /** The index, ending in `.i`. */
  path: string;
  /** The file of chunks, where it is not the index's name with `.d`: that is so for hashed names. */
  chunkPath?: string;
  /** The repository's requirements name `sparserevlog`. */
  isSparse: boolean;
}

/** What is read beside the index. */
export interface ChainDetail {
  /** The first byte of each chunk, for its kind, which reads through the chunks' file; of a sample; or of none. */
  kinds: 'all' | 'some' | 'none';
  /** What a sparse read of each chain reads; only where the repository reads that way. */
  withSparse: boolean;
}

/** The chains of a revlog, and what is wrong with it. */
export interface ChainReading {
  columns: ChainColumns;
  /** The first faults of each kind. */
  faults: Fault[];
  faultCounts: Partial<Record<FaultKind, number>>;
}

export const everyDetail: ChainDetail = { kinds: 'all', withSparse: true };

/** The file of chunks of a revlog that is not inline. */
export function chunkPathOf(source: Pick<RevlogSource, 'path' | 'chunkPath'>): string {
  return source.chunkPath ?? source.path.replace(/\.i$/, '.d');
}

/**
 * Reads how the revisions of a revlog are stored. Damage becomes faults at its revisions, and the rest is read: only an
 * index that cannot be read at all throws.
 *
 * @throws `unsupported` when it is no revlog of version 1, `cancelled`, the file system's own error
 */
export function readChainColumns(source: RevlogSource, detail: ChainDetail, operation: Operation): ChainReading {
  const faults = new Faults();
  const before = signature(source.path);
  const index = scanIndex(source.path, faults, operation);
  const kinds =
    detail.kinds === 'none'
      ? undefined
      : scanChunkKinds(index, chunkPathOf(source), detail.kinds === 'all', faults, operation);
  if (!index.header.isInline && kinds === undefined) checkChunkEnds(index, chunkPathOf(source), faults);
  const columns = measureChains(source.path, index, source.isSparse, operation);
  columns.kinds = kinds;
  if (detail.withSparse && source.isSparse) columns.sparse = measureSparseReads(columns, operation);
  if (signature(source.path) !== before) {
    faults.add('changed', undefined, () =>
      l10n.t('The index changed while it was read; what is shown is how it began.'),
    );
  }
  return { columns, faults: faults.first, faultCounts: faults.counts };
}

/** Looks whether the chunks' file is there, and as long as the index says. */
function checkChunkEnds(index: IndexColumns, chunkPath: string, faults: Faults): void {
  const size = statSync(chunkPath, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    const hasChunks = index.chunkLengths.some((length) => length > 0);
    if (hasChunks) faults.add('noChunks', undefined, () => l10n.t('The file of chunks is missing: {0}.', chunkPath));
    return;
  }
  for (let rev = 0; rev < index.count; rev++) {
    const end = index.offsets[rev] + index.chunkLengths[rev];
    if (index.chunkLengths[rev] === 0 || end <= size) continue;
    faults.add('pastEnd', rev, () =>
      l10n.t('The chunk of revision {0} ends at byte {1}, past the end of its file.', rev, end),
    );
  }
}

/** Changes when the file is written to, or replaced. */
export function signature(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
