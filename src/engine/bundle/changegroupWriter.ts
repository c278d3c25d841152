import type { BundlePiece } from './bundlePieces';
import type { ChangegroupVersion } from './changegroupReader';

/** One revision to be written, nodes as 20 bytes each. */
export interface RevisionToWrite {
  node: Uint8Array;
  p1: Uint8Array;
  p2: Uint8Array;
  /** What the delta applies to; in version 01 nobody is told. */
  base: Uint8Array;
  /** The changeset that brings the revision. */
  link: Uint8Array;
  flags: number;
  /** Hunks. */
  delta: Uint8Array;
}

const frame = 4;
const nodeLength = 20;
/** Up to here one piece costs less than two. */
const shortDelta = 8192;

/** What stands after the last revision of a group, and after the last file. */
export const endOfGroup: Uint8Array = new Uint8Array(frame);

/**
 * The chunk of one revision: its length, a head of nodes (the base of the delta from version 02 on, 2 bytes of flags from
 * version 03 on) and the delta.
 *
 * @see `hg help internals.changegroups`
 */
export function* revisionPieces(version: ChangegroupVersion, revision: RevisionToWrite): Generator<BundlePiece> {
  const { node, p1, p2, base, link, flags, delta } = revision;
  const nodes = version === '01' ? [node, p1, p2, link] : [node, p1, p2, base, link];
  const headLength = frame + nodes.length * nodeLength + (version === '03' ? 2 : 0);
  const isShort = delta.length <= shortDelta;
  const bytes = Buffer.allocUnsafe(headLength + (isShort ? delta.length : 0));
  bytes.writeUInt32BE(headLength + delta.length, 0);
  nodes.forEach((each, at) => bytes.set(each, frame + at * nodeLength));
  if (version === '03') bytes.writeUInt16BE(flags, headLength - 2);
  if (isShort) bytes.set(delta, headLength);
  yield bytes;
  if (!isShort) yield delta;
}

/** The chunk that names the file whose group follows. @param name bytes as Latin-1 */
export function fileNamePiece(name: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(frame + name.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.write(name, frame, 'latin1');
  return bytes;
}
