import type { ObjectFormatName } from './objectFormat';

/** How the first deflate block of an entry is coded (RFC 1951): a pack that stores shows where compression was given up. */
export const blockCodings = ['stored', 'fixed', 'dynamic'] as const;

/** In `bases`: the entry is whole. */
export const noBase = -1;
/** In `bases`: the base is not in the pack. */
export const outsideBase = -2;

/**
 * Every entry of a pack, in the order of the pack, as columns: position n of each belongs to the same entry. A pack with
 * millions of entries is a few typed arrays, which pass between threads without a copy.
 */
export interface PackColumns {
  pack: string;
  format: ObjectFormatName;
  count: number;
  /** Bytes of the pack, its header and checksum included. */
  packBytes: number;
  /** 20 or 32 bytes for each entry. */
  names: Uint8Array<ArrayBuffer>;
  /** Where each entry begins in the pack. */
  offsets: Float64Array<ArrayBuffer>;
  /** The object's kind: 1 commit, 2 tree, 3 blob, 4 tag, 0 where the base is not in the pack. */
  kinds: Uint8Array<ArrayBuffer>;
  /** How the entry is stored: its kind when whole, 6 delta by offset, 7 delta by name. */
  types: Uint8Array<ArrayBuffer>;
  /** Bytes of what the entry holds inflated: of the object, or of the delta. */
  sizes: Float64Array<ArrayBuffer>;
  /** Bytes of the object itself; of a delta's result. */
  objectSizes: Float64Array<ArrayBuffer>;
  /** Bytes of the entry in the pack, its header included. */
  packedSizes: Float64Array<ArrayBuffer>;
  /** How many deltas are applied to build the object: 0 for whole ones. */
  depths: Int32Array<ArrayBuffer>;
  /** The entry that the delta is applied to, or `noBase`, or `outsideBase`. */
  bases: Int32Array<ArrayBuffer>;
  /** The whole entry that the chain begins with; an entry's own number for whole ones. */
  roots: Int32Array<ArrayBuffer>;
  /** Bytes of the pack that must be read to build the object: its chain's. */
  chainSizes: Float64Array<ArrayBuffer>;
  /** Position in `blockCodings`. */
  codings: Uint8Array<ArrayBuffer>;
}

/** Empty columns for `count` entries. */
export function newPackColumns(
  pack: string,
  format: { name: ObjectFormatName; nameLength: number },
  count: number,
  packBytes: number,
): PackColumns {
  return {
    pack,
    format: format.name,
    count,
    packBytes,
    names: new Uint8Array(count * format.nameLength),
    offsets: new Float64Array(count),
    kinds: new Uint8Array(count),
    types: new Uint8Array(count),
    sizes: new Float64Array(count),
    objectSizes: new Float64Array(count),
    packedSizes: new Float64Array(count),
    depths: new Int32Array(count),
    bases: new Int32Array(count).fill(noBase),
    roots: new Int32Array(count),
    chainSizes: new Float64Array(count),
    codings: new Uint8Array(count),
  };
}

/** The memory of the columns, to be moved to another thread. */
export function columnBuffers(columns: PackColumns): ArrayBuffer[] {
  return Object.values(columns).flatMap((column: unknown) =>
    ArrayBuffer.isView(column) && column.buffer instanceof ArrayBuffer ? [column.buffer] : [],
  );
}
