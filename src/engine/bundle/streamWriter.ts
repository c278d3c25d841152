import { encodeFolders } from '../store/pathEncoding';
import type { Bundle2PartToWrite } from './bundle2Writer';
import type { BundlePiece } from './bundlePieces';
import { quote } from './quoting';

/** A file that goes into a stream. */
export interface FileToStream {
  area: 'store' | 'cache';
  /** As the store names it, before the encoding for the disk; bytes as Latin-1. */
  name: string;
  path: string;
  size: number;
  inode?: number;
  file?: number;
  bytes?: Uint8Array;
}

/** What a stream is made of. */
export interface StreamToWrite {
  count: number;
  bytes: number;
  files: () => Iterable<FileToStream>;
}

/** What a repository demands of whoever reads its histories; the rest concerns how it keeps them in place. */
const ofHistories = /^(?:revlogv\d|generaldelta|sparserevlog|revlog-compression-.*|treemanifest)$/;

/** The requirements that a stream names, in order. */
export function streamRequirements(requirements: Iterable<string>): string[] {
  return [...requirements].filter((name) => ofHistories.test(name)).sort();
}

/**
 * The part that holds a store as it is, version 2.
 * @see `hg help internals.bundle2`; the order of the parameters is that of a real response
 */
export function streamV2Part(stream: StreamToWrite, requirements: readonly string[]): Bundle2PartToWrite {
  return {
    type: 'stream2',
    isMandatory: true,
    mandatory: [
      ['bytecount', String(stream.bytes)],
      ['filecount', String(stream.count)],
      ['requirements', quote(requirements.join(','))],
    ],
    payload: streamV2Payload(stream),
  };
}

function* streamV2Payload(stream: StreamToWrite): Generator<BundlePiece> {
  for (const file of stream.files()) {
    const { area, name, size } = file;
    const head = Buffer.allocUnsafe(1 + 10 + 10 + name.length);
    let at = head.writeUInt8(area === 'store' ? 0x73 : 0x63, 0);
    at = writeVarint(head, at, name.length);
    at = writeVarint(head, at, size);
    at += head.write(name, at, 'latin1');
    yield head.subarray(0, at);
    yield contentOf(file);
  }
}

/** The legacy stream, as `stream_out` sends it: a line of success, one of totals, then files with a line before each. */
export function* streamV1Pieces(stream: StreamToWrite): Generator<BundlePiece> {
  yield Buffer.from(`0\n${stream.count} ${stream.bytes}\n`);
  for (const file of stream.files()) {
    yield Buffer.from(`${encodeFolders(file.name)}\0${file.size}\n`, 'latin1');
    yield contentOf(file);
  }
}

function contentOf({ path, size, inode, file, bytes }: FileToStream): BundlePiece {
  return bytes ?? { path, length: size, inode, file };
}

function writeVarint(target: Buffer, at: number, value: number): number {
  let left = value;
  while (left >= 0x80) {
    target[at++] = (left % 0x80) | 0x80;
    left = Math.floor(left / 0x80);
  }
  target[at++] = left;
  return at;
}
