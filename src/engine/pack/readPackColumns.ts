import * as l10n from '@vscode/l10n';
import { closeSync, existsSync, fstatSync, readSync } from 'node:fs';
import { constants, inflateSync } from 'node:zlib';
import { corruptError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { longestDeltaHeader, readDeltaSizes } from './delta';
import { emptyEntryHeader, longestEntryHeader, readEntryHeader } from './entryHeader';
import { linkChains } from './linkChains';
import type { ObjectFormat } from './objectFormat';
import { isObjectKind, packType } from './objectKind';
import { newPackColumns, type PackColumns } from './packColumns';
import { openPackIndex } from './packIndex';
import { openForReading, readExactly } from './packSource';
import { scanPack } from './scanPack';

/** Where the entries of a pack are, and what they are called. */
export interface PackEntries {
  format: ObjectFormat;
  count: number;
  /** Rising. */
  offsets: Float64Array;
  names: Uint8Array;
  /** Where the pack begins in its file: 0, but in a bundle after the header. */
  packAt: number;
}

const blockSize = 64 * 1024;
/** What of an entry is looked at: its header, and the begin of its zlib stream, where a delta has its sizes. */
const lookAhead = longestEntryHeader + 96;
const entriesBetweenLooks = 4096;

/**
 * Reads what a pack's index and its entries' headers say, without inflating the objects: only the first bytes of each
 * delta, which tell how large its result is. A pack without an index, or in a bundle, is read through once instead.
 *
 * @param path a `.pack` or `.bundle` file.
 * @throws `corrupt` when index and pack do not fit each other; `destination` when they cannot be read; `cancelled`.
 */
export async function readPackColumns(path: string, operation: Operation): Promise<PackColumns> {
  const index = path.replace(/\.pack$/, '.idx');
  const entries =
    index !== path && existsSync(index) ? readIndex(index, path, operation) : await scanPack(path, operation);
  const file = openForReading(path);
  try {
    const fileBytes = fstatSync(file).size;
    const columns = newPackColumns(path, entries.format, entries.count, fileBytes - entries.packAt);
    columns.offsets.set(entries.offsets.subarray(0, entries.count));
    columns.names.set(entries.names.subarray(0, columns.names.length));
    const baseNames = readHeaders(file, entries, columns, operation);
    linkChains(columns, baseNames);
    operation.progress({
      type: 'phase',
      phase: 'analyse',
      state: 'done',
      done: entries.count,
      total: entries.count,
      unit: 'objects',
    });
    return columns;
  } finally {
    closeSync(file);
  }
}

/** The index's entries in the order of the pack. */
function readIndex(path: string, packPath: string, operation: Operation): PackEntries {
  using index = openPackIndex(path);
  const { count, format } = index;
  index.verify(lastBytes(packPath, format.nameLength));
  const byName = Float64Array.from({ length: count }, (_, position) => index.offset(position));
  const order = Uint32Array.from({ length: count }, (_, position) => position);
  order.sort((one, other) => byName[one] - byName[other]);
  const names = new Uint8Array(count * format.nameLength);
  const offsets = new Float64Array(count);
  for (let entry = 0; entry < count; entry++) {
    if (entry % entriesBetweenLooks === 0) throwIfCancelled(operation);
    offsets[entry] = byName[order[entry]];
    index.copyName(order[entry], names, entry * format.nameLength);
  }
  return { format, count, offsets, names, packAt: 0 };
}

/** The checksum at a pack's end. */
function lastBytes(path: string, length: number): Uint8Array {
  const file = openForReading(path);
  try {
    return readExactly(file, length, Math.max(0, fstatSync(file).size - length), path);
  } finally {
    closeSync(file);
  }
}

/** Fills what the headers say; returns the base's name for each delta by name, by entry. */
function readHeaders(
  file: number,
  entries: PackEntries,
  columns: PackColumns,
  operation: Operation,
): Map<number, Uint8Array> {
  const { format, packAt } = entries;
  const { offsets, pack, count } = columns;
  const end = columns.packBytes - format.nameLength;
  const baseNames = new Map<number, Uint8Array>();
  const header = emptyEntryHeader();
  const block = new Uint8Array(blockSize);
  let blockAt = 0;
  let blockEnd = 0;
  for (let entry = 0; entry < count; entry++) {
    if (entry % entriesBetweenLooks === 0) tell(entry, count, operation);
    const offset = offsets[entry];
    const next = entry + 1 < count ? offsets[entry + 1] : end;
    if (!(next > offset) || next > end || offset < 12) throw notAnEntry(pack, offset);
    if (offset < blockAt || Math.min(offset + lookAhead, end) > blockEnd) {
      blockAt = offset;
      blockEnd = offset + readSync(file, block, 0, blockSize, packAt + offset);
    }
    const at = offset - blockAt;
    const entryEnd = Math.min(next, blockEnd) - blockAt;
    if (!readEntryHeader(block, at, entryEnd, format.nameLength, offset, pack, header)) throw notAnEntry(pack, offset);
    columns.types[entry] = header.type;
    columns.sizes[entry] = header.size;
    columns.packedSizes[entry] = next - offset;
    columns.objectSizes[entry] = header.size;
    const zlibAt = at + header.length;
    // After zlib's two bytes comes the block's head: the lowest bit says whether it is the last, the next two its coding.
    columns.codings[entry] = zlibAt + 2 < entryEnd ? (block[zlibAt + 2] >> 1) & 3 : 0;
    if (isObjectKind(header.type)) continue;
    columns.objectSizes[entry] = resultSize(block.subarray(zlibAt, Math.min(entryEnd, zlibAt + 96)), pack, offset);
    if (header.type === packType.nameDelta) {
      baseNames.set(entry, block.slice(header.baseNameAt, header.baseNameAt + format.nameLength));
    } else columns.bases[entry] = entryAt(offsets, offset - header.distance, entry, pack);
  }
  return baseNames;
}

function tell(entry: number, count: number, operation: Operation): void {
  throwIfCancelled(operation);
  operation.progress({ type: 'phase', phase: 'analyse', state: 'running', done: entry, total: count, unit: 'objects' });
}

/** How large a delta's result is, from the first bytes of its zlib stream. */
function resultSize(zlib: Uint8Array, pack: string, offset: number): number {
  try {
    const begin = inflateSync(zlib, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 256 });
    return readDeltaSizes(begin.subarray(0, longestDeltaHeader)).resultSize;
  } catch (error) {
    throw corruptError(l10n.t('The delta at offset {0} of {1} does not tell its sizes.', offset, pack), {
      subject: pack,
      offset,
      cause: error,
    });
  }
}

function entryAt(offsets: Float64Array, offset: number, entry: number, pack: string): number {
  let low = 0;
  let high = entry - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle] === offset) return middle;
    if (offsets[middle] < offset) low = middle + 1;
    else high = middle - 1;
  }
  throw corruptError(
    l10n.t(
      'The entry at offset {0} of {1} is a delta on offset {2}, where no object begins.',
      offsets[entry],
      pack,
      offset,
    ),
    { subject: pack, offset: offsets[entry] },
  );
}

function notAnEntry(pack: string, offset: number): Error {
  return corruptError(l10n.t('The index of {0} names offset {1}, where no entry of the pack is.', pack, offset), {
    subject: pack,
    offset,
  });
}
