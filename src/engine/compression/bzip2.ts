import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { BitInput } from './bitInput';
import { readSortedBlock, type SortedBlock } from './bzip2Block';

const pieceSize = 64 * 1024;
const bytesPerLevel = 100_000;
/** The digits of pi, before each block, and of its square root, before the end. */
const blockMagic = [0x314159, 0x265359] as const;
const endMagic = [0x177245, 0x385090] as const;
/** After so many equal bytes a count of further ones follows. */
const runThreshold = 4;

/**
 * Decodes a bzip2 stream, or several in a row. Pulled: it holds one block, of at most 900 kB and five times that in
 * tables, and gives out what is in it in pieces. Each piece is valid until the next is asked for.
 *
 * @throws `corrupt`, and what the source throws
 */
export async function* decodeBzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new BitInput(source);
  try {
    do yield* decodeOne(input);
    while (!(await input.atEnd()));
  } finally {
    await input.close();
  }
}

async function* decodeOne(input: BitInput): AsyncGenerator<Uint8Array> {
  await input.ahead(4);
  const level = input.read(24) === 0x425a68 ? input.read(8) - 0x30 : 0;
  if (level < 1 || level > 9) throw corruptError(l10n.t('it does not begin like a bzip2 stream'));
  const bytes = new Uint8Array(level * bytesPerLevel);
  const next = new Uint32Array(bytes.length);
  let checksumOfAll = 0;
  for (;;) {
    await input.ahead(10);
    const magic = [input.read(24), input.read(24)];
    const expected = input.readWord();
    if (magic[0] === endMagic[0] && magic[1] === endMagic[1]) {
      if (expected !== checksumOfAll) throw corruptError(l10n.t('its checksum is wrong'));
      input.align();
      return;
    }
    if (magic[0] !== blockMagic[0] || magic[1] !== blockMagic[1])
      throw corruptError(l10n.t('a block does not begin like one'));
    const block = await readSortedBlock(input, bytes);
    yield* unsort(block, next, expected);
    checksumOfAll = (((checksumOfAll << 1) | (checksumOfAll >>> 31)) ^ expected) >>> 0;
  }
}

/** Sorts the bytes of a block back, lets its runs out, and checks what came out. */
function* unsort({ bytes, length, origin }: SortedBlock, next: Uint32Array, expected: number): Generator<Uint8Array> {
  linkRotations(bytes, length, next);
  const piece = new Uint8Array(pieceSize);
  let filled = 0;
  let checksum = 0xffffffff;
  let at = next[origin];
  let previous = -1;
  let equal = 0;
  for (let count = 0; count < length; count++) {
    const byte = bytes[at];
    at = next[at];
    if (equal === runThreshold) {
      for (let left = byte; left > 0; left--) {
        if (filled === pieceSize) {
          checksum = crc(checksum, piece, filled);
          yield piece;
          filled = 0;
        }
        piece[filled++] = previous;
      }
      equal = 0;
      previous = -1;
      continue;
    }
    equal = byte === previous ? equal + 1 : 1;
    previous = byte;
    if (filled === pieceSize) {
      checksum = crc(checksum, piece, filled);
      yield piece;
      filled = 0;
    }
    piece[filled++] = byte;
  }
  checksum = crc(checksum, piece, filled);
  if ((checksum ^ 0xffffffff) >>> 0 !== expected) throw corruptError(l10n.t('the checksum of a block is wrong'));
  if (filled > 0) yield piece.subarray(0, filled);
}

/** For each rotation, which one follows it in the text: equal bytes keep their order between first and last column. */
function linkRotations(bytes: Uint8Array, length: number, next: Uint32Array): void {
  const places = new Uint32Array(257);
  for (let at = 0; at < length; at++) places[bytes[at] + 1]++;
  for (let byte = 1; byte < 257; byte++) places[byte] += places[byte - 1];
  for (let at = 0; at < length; at++) next[places[bytes[at]]++] = at;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc >>> 0;
});

/** The checksum of bzip2: CRC-32 with the most significant bit first, unlike that of zip. */
function crc(value: number, bytes: Uint8Array, length: number): number {
  let checksum = value;
  for (let at = 0; at < length; at++) checksum = (checksum << 8) ^ crcTable[(checksum >>> 24) ^ bytes[at]];
  return checksum;
}
