import { decompress as decompressSmallZstd, isLoaded } from '@foxglove/wasm-zstd';
import { Decompress } from 'fzstd';
import { inflateSync } from 'node:zlib';
import { concatenate } from '../io/byteReader';
import { corruptError, EngineError } from '../io/errors';

const zlibMark = 0x78;
const zstdMark = 0x28;
const storedMark = 0x75;
const wholeMark = 0x00;

/** Beyond this the WebAssembly decoder's memory, which never shrinks, would be felt. */
const largestInWasm = 16 << 20;
const empty = new Uint8Array(0);

/** Resolves when chunks in zstd can be decoded; to be awaited once in each thread, before the first of them. */
export const zstdReady: Promise<unknown> = isLoaded;

/**
 * Decodes one chunk of a revlog, by its first byte: `x` a zlib stream, `(` a zstd frame, `u` the rest as it is, NUL all
 * as it is, nothing for nothing. The result may be a view of `chunk`.
 *
 * @param limit the most bytes that may come out: a small chunk could hold gigabytes
 * @param subject for errors
 * @throws `corrupt` when the chunk is of no known kind, damaged, or larger than the limit
 * @see `hg help internals.revlogs`
 */
export function decodeChunk(chunk: Uint8Array, limit: number, subject: string): Uint8Array {
  if (chunk.length === 0) return empty;
  switch (chunk[0]) {
    case wholeMark:
      return chunk;
    case storedMark:
      return chunk.subarray(1);
    case zlibMark:
      return inflate(chunk, limit, subject);
    case zstdMark:
      return decodeZstd(chunk, limit, subject);
    default:
      throw corruptError(`${subject} is in an unknown compression, 0x${chunk[0].toString(16)}.`, { subject });
  }
}

function inflate(chunk: Uint8Array, limit: number, subject: string): Uint8Array {
  try {
    // A limit of nothing is refused by Node, and is no different from one of a byte to a reader that checks lengths.
    return inflateSync(chunk, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    throw corruptError(`${subject} cannot be inflated: ${describe(error)}.`, { subject, cause: error });
  }
}

/** Mercurial compresses texts of more than a megabyte without noting their size in the frame: there the limit counts. */
function decodeZstd(chunk: Uint8Array, limit: number, subject: string): Uint8Array {
  const size = zstdContentSize(chunk);
  if (size !== undefined && size > limit) throw tooLarge(subject, limit);
  const room = size ?? limit;
  try {
    return room <= largestInWasm ? decompressSmallZstd(chunk, room) : collectZstd(chunk, room, subject);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw corruptError(`${subject} is no zstd frame: ${describe(error)}.`, { subject, cause: error });
  }
}

/** Decodes block by block, so that a frame which lies about its size ends when it passes the limit. */
function collectZstd(frame: Uint8Array, limit: number, subject: string): Uint8Array {
  const blocks: Uint8Array[] = [];
  let length = 0;
  const decoder = new Decompress((block) => {
    length += block.length;
    if (length > limit) throw tooLarge(subject, limit);
    blocks.push(block);
  });
  decoder.push(frame, true);
  return concatenate(blocks, length);
}

function tooLarge(subject: string, limit: number): Error {
  return corruptError(`${subject} holds more than the ${limit} bytes that can be.`, { subject });
}

/**
 * What the head of a zstd frame says of its content's size, in bytes; undefined when it says nothing.
 * @see RFC 8878, section 3.1.1.1
 */
export function zstdContentSize(frame: Uint8Array): number | undefined {
  if (frame.length < 6) return undefined;
  const descriptor = frame[4];
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6];
  const dictionaryLength = [0, 1, 2, 4][descriptor & 3];
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryLength;
  if (sizeLength === 0 || at + sizeLength > frame.length) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset + at, sizeLength);
  if (sizeLength === 1) return view.getUint8(0);
  if (sizeLength === 2) return view.getUint16(0, true) + 256;
  if (sizeLength === 4) return view.getUint32(0, true);
  return Number(view.getBigUint64(0, true));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
