import * as l10n from '@vscode/l10n';
import { compress, decompress as decompressSmall, isLoaded } from '@foxglove/wasm-zstd';
import { Decompress, decompress as decompressSized } from 'fzstd';
import * as zlib from 'node:zlib';

/** Beyond this the WebAssembly coder's memory, which never shrinks, would be felt. */
const largestInWasm = 16 << 20;
/** What the `zstd` program takes too unless it is told otherwise: a frame may demand any amount of memory. */
export const largestZstdWindow = 128 << 20;

/** What Node has from 22.15 on; the types of Node 20 do not know it. */
interface NodeZstd {
  zstdDecompressSync?: (frame: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;
  zstdCompressSync?: (bytes: Uint8Array, options: { params: Record<number, number> }) => Uint8Array;
}
const { zstdDecompressSync, zstdCompressSync } = zlib as NodeZstd;
/** `ZSTD_c_compressionLevel` */
const levelParameter = 100;

/** Resolves when zstd can be coded; to be awaited once in each thread, before the first time. */
export const zstdReady: Promise<unknown> = isLoaded;

/** What the head of a zstd frame says, in bytes. */
export interface ZstdFrameHead {
  /** Of the content; undefined when the frame does not say. */
  contentSize: number | undefined;
  /** How far back the content refers to itself. */
  windowSize: number;
}

/**
 * Reads the head of a zstd frame; undefined when these bytes are none.
 * @see RFC 8878, section 3.1.1.1
 */
export function zstdFrameHead(frame: Uint8Array): ZstdFrameHead | undefined {
  if (frame.length < 6 || frame[0] !== 0x28 || frame[1] !== 0xb5 || frame[2] !== 0x2f || frame[3] !== 0xfd) {
    return undefined;
  }
  const descriptor = frame[4];
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6];
  const dictionaryLength = [0, 1, 2, 4][descriptor & 3];
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryLength;
  if (at + sizeLength > frame.length) return undefined;
  const contentSize = readSize(new DataView(frame.buffer, frame.byteOffset + at, sizeLength));
  if (isSingleSegment) return { contentSize, windowSize: contentSize ?? 0 };
  const base = 2 ** (10 + (frame[5] >> 3));
  return { contentSize, windowSize: base + (base / 8) * (frame[5] & 7) };
}

function readSize(view: DataView): number | undefined {
  if (view.byteLength === 1) return view.getUint8(0);
  if (view.byteLength === 2) return view.getUint16(0, true) + 256;
  if (view.byteLength === 4) return view.getUint32(0, true);
  return view.byteLength === 8 ? Number(view.getBigUint64(0, true)) : undefined;
}

/**
 * Decodes one zstd frame, in this thread.
 *
 * @param limit the most bytes that may come out
 * @throws an error of the decoder's, or a `RangeError` when the frame promises or holds more
 */
export function decodeZstdFrame(frame: Uint8Array, limit: number): Uint8Array {
  const head = zstdFrameHead(frame);
  if (head === undefined) throw new RangeError(l10n.t('it does not begin like a zstd frame'));
  const { contentSize, windowSize } = head;
  if (contentSize !== undefined && contentSize > limit) {
    throw new RangeError(l10n.t('it promises {0} bytes, and at most {1} can be', contentSize, limit));
  }
  const most = contentSize ?? limit;
  if (most <= largestInWasm) return exactly(contentSize, decompressSmall(frame, most));
  if (zstdDecompressSync !== undefined) {
    return exactly(contentSize, zstdDecompressSync(frame, { maxOutputLength: most }));
  }
  if (contentSize !== undefined) return exactly(contentSize, decompressSized(frame, new Uint8Array(contentSize)));
  if (windowSize > largestZstdWindow) throw new RangeError(l10n.t('it needs a window of {0} bytes', windowSize));
  return decompressUnsized(frame, limit);
}

function exactly(size: number | undefined, bytes: Uint8Array): Uint8Array {
  if (size !== undefined && bytes.length !== size) {
    throw new RangeError(l10n.t('it holds {0} bytes, and promised {1}', bytes.length, size));
  }
  return bytes;
}

function decompressUnsized(frame: Uint8Array, limit: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((piece) => {
    length += piece.length;
    if (length > limit) throw new RangeError(l10n.t('it holds more than {0} bytes', limit));
    pieces.push(piece);
  });
  stream.push(frame, true);
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, length);
}

/**
 * Codes `bytes` as one zstd frame, in this thread; undefined when they are too many for what this Node has.
 * @param level 1 (fast) to 22
 */
export function encodeZstdFrame(bytes: Uint8Array, level: number): Uint8Array | undefined {
  if (bytes.length <= largestInWasm) return compress(bytes, level);
  return zstdCompressSync?.(bytes, { params: { [levelParameter]: level } });
}
