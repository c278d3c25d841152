import { chunkKinds, type ChunkKind } from '../compression/block';

/** What a revision's chunk is a delta against, in the words of `hg debugdeltachain`; `broken` is ours: a base that cannot be. */
export const deltaTypes = ['base', 'snap', 'p1', 'p2', 'skip1', 'skip2', 'prev', 'other', 'broken'] as const;
export type DeltaType = (typeof deltaTypes)[number];

/** In `levels`: the revision is no snapshot. */
export const noLevel = 0xffff;

/** A column of sizes: 4 bytes each where all of them fit, else 8. */
export type SizeColumn = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/**
 * The delta chains of a revlog as columns: position n of each belongs to revision n. A history of millions of revisions
 * is a few typed arrays, which pass between threads without a copy. What can be worked out from them is not kept:
 * {@link chainRow} does that for one revision.
 */
export interface ChainColumns {
  /** The index that they were read from. */
  path: string;
  count: number;
  isInline: boolean;
  isGeneraldelta: boolean;
  /** The repository has `sparserevlog`: deltas against snapshots may be snapshots, and large gaps are not read. */
  isSparse: boolean;
  /** Bytes of the index, without chunks. */
  indexBytes: number;
  /** Bytes of all chunks, by the index. */
  chunkBytes: number;
  /** Where each chunk begins among all chunks. */
  offsets: Float64Array<ArrayBuffer>;
  /** Bytes of each chunk: `compsize`. */
  chunkLengths: Uint32Array<ArrayBuffer>;
  /** Bytes of each text: `uncompsize`; -1 where the index does not know. */
  textLengths: Int32Array<ArrayBuffer>;
  p1s: Int32Array<ArrayBuffer>;
  p2s: Int32Array<ArrayBuffer>;
  /** The revision that the chunk is a delta against, -1 for none: `prevrev`. */
  deltaParents: Int32Array<ArrayBuffer>;
  /** Position in {@link deltaTypes}. */
  types: Uint8Array<ArrayBuffer>;
  /** How many snapshots are below a snapshot, whole texts being 0; {@link noLevel} for other revisions. */
  levels: Uint16Array<ArrayBuffer>;
  /** Number of the chain from 1, in the order of their first revisions: `chainid`. */
  chainIds: Int32Array<ArrayBuffer>;
  /** The first revision of each chain, by number of the chain less one. */
  chainBases: Int32Array<ArrayBuffer>;
  /** How many chunks make up the text: `chainlen`. */
  chainLengths: Int32Array<ArrayBuffer>;
  /** Bytes of those chunks: `chainsize`. */
  chainSizes: SizeColumn;
  /** What a sparse read of the chain reads; undefined where it was not asked for. */
  sparse?: SparseColumns;
  /** Position in `chunkKinds`; undefined where chunks were not looked at. */
  kinds?: Uint8Array<ArrayBuffer>;
}

/** What a reader that leaves large gaps out reads, to build each text. */
export interface SparseColumns {
  /** Bytes in all: `readsize`. */
  readSizes: SizeColumn;
  /** Bytes of the largest stretch: `largestblock`. */
  largestBlocks: SizeColumn;
  /** How many stretches: `srchunks`. */
  blockCounts: Int32Array<ArrayBuffer>;
}

/** One revision, with the names of `hg debugdeltachain -T json`, in their order. */
export interface ChainRow {
  chainid: number;
  chainlen: number;
  chainratio: number;
  chainsize: number;
  compsize: number;
  deltatype: DeltaType;
  extradist: number;
  extraratio: number;
  largestblock?: number;
  lindist: number;
  p1: number;
  p2: number;
  prevrev: number;
  readdensity?: number;
  readsize?: number;
  rev: number;
  srchunks?: number;
  uncompsize: number;
  /** How the chunk is stored, which hg does not say. */
  compression?: ChunkKind;
}

/** What is known of one revision. */
export function chainRow(columns: ChainColumns, rev: number): ChainRow {
  const { sparse, kinds } = columns;
  const chainsize = columns.chainSizes[rev];
  const uncompsize = columns.textLengths[rev];
  const lindist = linearDistance(columns, rev);
  const extradist = lindist - chainsize;
  const row: ChainRow = {
    chainid: columns.chainIds[rev],
    chainlen: columns.chainLengths[rev],
    chainratio: ratioOrWhole(chainsize, uncompsize),
    chainsize,
    compsize: columns.chunkLengths[rev],
    deltatype: deltaTypes[columns.types[rev]],
    extradist,
    extraratio: ratioOrWhole(extradist, chainsize),
    lindist,
    p1: columns.p1s[rev],
    p2: columns.p2s[rev],
    prevrev: columns.deltaParents[rev],
    rev,
    uncompsize,
  };
  if (sparse !== undefined) {
    row.largestblock = sparse.largestBlocks[rev];
    row.readsize = sparse.readSizes[rev];
    row.readdensity = row.readsize > 0 ? chainsize / row.readsize : 1;
    row.srchunks = sparse.blockCounts[rev];
  }
  if (kinds !== undefined) row.compression = chunkKinds[kinds[rev]];
  return row;
}

/** Bytes from the beginning of the chain's first chunk to the end of the revision's: `lindist`. */
export function linearDistance(columns: ChainColumns, rev: number): number {
  const { offsets, chunkLengths, chainBases, chainIds } = columns;
  return offsets[rev] + chunkLengths[rev] - offsets[chainBases[chainIds[rev] - 1]];
}

/** The revisions of a chain: the whole text first, `rev` last. */
export function chainOf(columns: ChainColumns, rev: number): number[] {
  const chain: number[] = [];
  for (let link = rev; link >= 0; link = columns.deltaParents[link]) chain.push(link);
  return chain.reverse();
}

/** The memory of the columns, to be moved to another thread. */
export function chainBuffers(columns: ChainColumns): ArrayBuffer[] {
  const members: unknown[] = [
    ...Object.values<unknown>({ ...columns }),
    ...Object.values<unknown>({ ...columns.sparse }),
  ];
  return members.flatMap((column) =>
    ArrayBuffer.isView(column) && column.buffer instanceof ArrayBuffer ? [column.buffer] : [],
  );
}

/** A column for sizes of which none is larger than `largest`. */
export function sizeColumn(count: number, largest: number): SizeColumn {
  return largest <= 0xffff_ffff ? new Uint32Array(count) : new Float64Array(count);
}

/** hg takes a divisor of nothing for one. */
function ratioOrWhole(part: number, whole: number): number {
  return whole === 0 ? part : part / whole;
}
