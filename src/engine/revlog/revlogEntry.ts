import { entryLength, revlogHeader } from './revlogHeader';

/** The fields of an index entry. */
export interface RevlogEntry {
  /** Where the chunk begins among all chunks. */
  offset: number;
  flags: number;
  chunkLength: number;
  textLength: number;
  /** The base of the delta, the revision itself for a whole text; without generaldelta, the chain's first revision. */
  base: number;
  linkrev: number;
  p1: number;
  p2: number;
  /** 20 bytes. */
  node: Uint8Array;
}

/**
 * Writes an index entry of version 1: offset (6 bytes), flags (2), lengths of chunk and text, base, linkrev, parents
 * (4 each), node (20, in a field of 32). All numbers are big-endian.
 *
 * @see `hg help internals.revlogs`
 */
export function writeEntry(target: Buffer, at: number, entry: RevlogEntry): void {
  target.writeUIntBE(entry.offset, at, 6);
  target.writeUInt16BE(entry.flags, at + 6);
  target.writeUInt32BE(entry.chunkLength, at + 8);
  target.writeInt32BE(entry.textLength, at + 12);
  target.writeInt32BE(entry.base, at + 16);
  target.writeInt32BE(entry.linkrev, at + 20);
  target.writeInt32BE(entry.p1, at + 24);
  target.writeInt32BE(entry.p2, at + 28);
  target.set(entry.node, at + 32);
  target.fill(0, at + 52, at + entryLength);
}

/** Writes the header over the offset of the first entry, which is always 0. */
export function writeHeader(target: Buffer, at: number, isInline: boolean, isGeneraldelta: boolean): void {
  target.writeUInt32BE(revlogHeader({ version: 1, isInline, isGeneraldelta }), at);
}
