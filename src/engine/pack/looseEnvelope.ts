import { adler32, combineAdler32 } from './adler32';

/**
 * A loose object is one zlib stream of `blob 12\0` and the content; a pack's entry is a zlib stream of the content alone.
 * A deflate stream may begin with a stored block, after which the next block begins on a byte (RFC 1951, 3.2.4), and
 * distances never reach back past the content's own begin. So the pack's deflate blocks can follow a stored block that
 * holds the header, as they are: the object is not deflated again, and what `git` reads is the same. Only the checksum at
 * the end changes, and it follows from the old one.
 */

/** Bytes of a zlib stream before its deflate blocks, and after them. */
export const zlibHeadLength = 2;
export const zlibTailLength = 4;

const storedBlockHead = 5;

/** Bytes before the pack's deflate blocks, with a loose header of `header` bytes. */
export function looseHeadLength(header: Uint8Array): number {
  return zlibHeadLength + storedBlockHead + header.length;
}

/** Writes what goes before the pack's deflate blocks. */
export function putLooseHead(target: Uint8Array, at: number, header: Uint8Array): void {
  // Deflate with a window of 32 KiB (RFC 1950): 0x7801 is a multiple of 31, as it must be.
  target[at] = 0x78;
  target[at + 1] = 0x01;
  target[at + 2] = 0;
  target[at + 3] = header.length;
  target[at + 4] = 0;
  target[at + 5] = ~header.length;
  target[at + 6] = 0xff;
  target.set(header, at + zlibHeadLength + storedBlockHead);
}

/**
 * Writes the checksum that ends the loose object, from that which ends the pack's zlib stream: 4 bytes of `tail` at
 * `tailAt`, most significant first (RFC 1950).
 */
export function putLooseTail(
  target: Uint8Array,
  at: number,
  header: Uint8Array,
  size: number,
  tail: Uint8Array,
  tailAt: number,
): void {
  const content = tail[tailAt] * 0x100_0000 + tail[tailAt + 1] * 0x1_0000 + tail[tailAt + 2] * 0x100 + tail[tailAt + 3];
  const checksum = combineAdler32(adler32(header), content, size);
  target[at] = checksum / 0x100_0000;
  target[at + 1] = checksum / 0x1_0000;
  target[at + 2] = checksum / 0x100;
  target[at + 3] = checksum;
}
