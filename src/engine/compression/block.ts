import * as l10n from '@vscode/l10n';
import { deflateSync, inflateSync } from 'node:zlib';
import { corruptError } from '../io/errors';
import { decodeZstdFrame, encodeZstdFrame } from './zstdBlock';

export { zstdReady } from './zstdBlock';

const zlibMark = 0x78;
const zstdMark = 0x28;
const storedMark = 0x75;
const wholeMark = 0x00;

/**
 * Kinds of chunk, by how they are stored; a column of kinds holds positions in this list. `unknown` begins with a byte
 * that means nothing, `unseen` was not looked at.
 */
export const chunkKinds = ['empty', 'whole', 'stored', 'zlib', 'zstd', 'unknown', 'unseen'] as const;
export type ChunkKind = (typeof chunkKinds)[number];

/** The engines that a revlog's chunks can be written with. */
export type ChunkEngine = 'none' | 'zlib' | 'zstd';

/** No engine makes fewer bytes than these smaller. */
const smallestWorthwhile = 44;
const empty = new Uint8Array(0);
const kindOfMark = new Uint8Array(256).fill(chunkKinds.indexOf('unknown'));
kindOfMark[wholeMark] = chunkKinds.indexOf('whole');
kindOfMark[storedMark] = chunkKinds.indexOf('stored');
kindOfMark[zlibMark] = chunkKinds.indexOf('zlib');
kindOfMark[zstdMark] = chunkKinds.indexOf('zstd');

/** The kind of a chunk that begins with this byte, as a position in {@link chunkKinds}. */
export function chunkKindOf(firstByte: number): number {
  return kindOfMark[firstByte];
}

/**
 * Decodes one chunk of a revlog, by its first byte: `x` a zlib stream, `(` a zstd frame, `u` the rest as it is, NUL all
 * as it is, nothing for nothing. The result may be a view of `chunk`.
 *
 * @param limit the most bytes that may come out: a small chunk could hold gigabytes
 * @param subject what the chunk is called in errors
 * @throws `corrupt` when the chunk is of no known kind, damaged, or larger than the limit
 * @see `hg help internals.revlogs`
 */
export function decodeChunk(chunk: Uint8Array, limit: number, subject: string): Uint8Array {
  if (chunk.length === 0) return empty;
  switch (chunk[0]) {
    case wholeMark:
      return withinLimit(chunk, limit, subject);
    case storedMark:
      return withinLimit(chunk.subarray(1), limit, subject);
    case zlibMark:
      return inflate(chunk, limit, subject);
    case zstdMark:
      return unpackZstd(chunk, limit, subject);
    default:
      throw corruptError(l10n.t('{0} is in an unknown compression, 0x{1}.', subject, chunk[0].toString(16)), {
        subject,
      });
  }
}

/**
 * The chunk that a revlog keeps for `bytes`: compressed where that makes them smaller, else stored as the format wants.
 * The result may be `bytes` itself. A zstd revlog may hold zlib chunks, so what is too large for zstd here becomes zlib.
 *
 * @param level of the engine: 1 to 9 for zlib, 1 to 22 for zstd; Mercurial takes 6 and 3
 * @see `hg help internals.revlogs`
 */
export function encodeChunk(bytes: Uint8Array, engine: ChunkEngine, level = engine === 'zlib' ? 6 : 3): Uint8Array {
  if (bytes.length === 0) return bytes;
  if (bytes.length > smallestWorthwhile && engine !== 'none') {
    const packed =
      (engine === 'zstd' ? encodeZstdFrame(bytes, level) : undefined) ??
      deflateSync(bytes, { level: engine === 'zlib' ? level : 6 });
    if (packed.length < bytes.length) return packed;
  }
  if (bytes[0] === wholeMark) return bytes;
  const chunk = new Uint8Array(bytes.length + 1);
  chunk[0] = storedMark;
  chunk.set(bytes, 1);
  return chunk;
}

function withinLimit(bytes: Uint8Array, limit: number, subject: string): Uint8Array {
  if (bytes.length <= limit) return bytes;
  throw corruptError(l10n.t('{0} holds {1} bytes where at most {2} can be.', subject, bytes.length, limit), {
    subject,
  });
}

function inflate(chunk: Uint8Array, limit: number, subject: string): Uint8Array {
  try {
    // A limit of nothing is refused by Node, and is no different from one of a byte to a reader that checks lengths.
    return inflateSync(chunk, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    throw corruptError(l10n.t('{0} cannot be inflated: {1}.', subject, describe(error)), { subject, cause: error });
  }
}

function unpackZstd(chunk: Uint8Array, limit: number, subject: string): Uint8Array {
  try {
    return decodeZstdFrame(chunk, limit);
  } catch (error) {
    throw corruptError(l10n.t('{0} is no sound zstd frame: {1}.', subject, describe(error)), { subject, cause: error });
  }
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
