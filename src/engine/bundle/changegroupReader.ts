import * as l10n from '@vscode/l10n';
import type { ByteReader } from '../io/byteReader';
import { corruptError, protocolError, unsupportedError } from '../io/errors';
import { printable } from '../io/printable';
import { nodeAt, type Node } from '../revlog/node';
import { censoredFlag, copiesFlag, isTombstone, whyWithoutText } from '../revlog/revisionFlags';

/** The versions of changegroups that are read. */
export const changegroupVersions = ['01', '02', '03'] as const;
export type ChangegroupVersion = (typeof changegroupVersions)[number];

/** One revision of a delta group. */
export interface ChangegroupRevision {
  node: Node;
  p1: Node;
  p2: Node;
  /** What the delta applies to; the null node for a delta against nothing. */
  base: Node;
  /** The changeset that brings the revision. */
  link: Node;
  /** As a revlog keeps them. */
  flags: number;
  /** Hunks, in memory of their own. */
  delta: Uint8Array;
}

const headLengths: Record<ChangegroupVersion, number> = { '01': 80, '02': 100, '03': 102 };
const frame = 4;
const nodeLength = 20;
const longestName = 64 * 1024;
const hunkHead = 12;

/** The version that a bundle2 part or a specification names. @throws `protocol` for one that is not read */
export function parseChangegroupVersion(name: string): ChangegroupVersion {
  const version = changegroupVersions.find((known) => known === name);
  if (version !== undefined) return version;
  throw protocolError(l10n.t('The changegroup is of version {0}, which was not asked for.', printable(name)), {
    subject: 'changegroup',
  });
}

/**
 * Reads one delta group: chunks of a 4-byte length (itself included), a head of nodes (node, parents, from version 02 on
 * the base of the delta, then the changeset; from version 03 on 2 bytes of flags) and a delta, until a length of 0. In
 * version 01 the base is the revision before, the first parent for the first one. All numbers are big-endian. Revisions that
 * were censored have the flag for it in every version.
 *
 * @param take called with each revision; what it throws ends the reading
 * @returns how many there were
 * @throws `corrupt` for a length that cannot be, `unsupported` for flags that nobody here knows how to keep, and the reader's
 * own kind when it ends early
 * @see `hg help internals.changegroups`
 */
export async function readDeltaGroup(
  reader: ByteReader,
  version: ChangegroupVersion,
  take: (revision: ChangegroupRevision) => void,
): Promise<number> {
  const headLength = headLengths[version];
  let before: Node | undefined;
  for (let count = 0; ; count++) {
    const length = await readFrame(reader, headLength);
    if (length === 0) return count;
    // Without a wait where the bytes are there already: most revisions are small.
    const bytes = reader.buffered >= length ? reader.take(length) : await reader.read(length);
    const revision = parseRevision(bytes, version, headLength, before);
    before = revision.node;
    take(revision);
  }
}

/**
 * Reads the name of the file whose delta group comes next; undefined after the last one. Bytes as Latin-1.
 * @throws as {@link readDeltaGroup}
 */
export async function readFileName(reader: ByteReader): Promise<string | undefined> {
  const length = await readFrame(reader, 1);
  if (length === 0) return undefined;
  if (length > longestName) throw impossible(reader, length);
  return Buffer.from(await reader.read(length)).toString('latin1');
}

/**
 * Reads what version 03 has between manifests and files: manifests of folders, of which there are none in a repository
 * that does not use them, and the mark of their end. Earlier versions have nothing there.
 *
 * @throws `unsupported` when there are manifests of folders; as {@link readDeltaGroup}
 */
export async function passTreeManifests(reader: ByteReader, version: ChangegroupVersion): Promise<void> {
  if (version !== '03') return;
  const folder = await readFileName(reader);
  if (folder !== undefined) throw hasTreeManifests();
}

/** The error for a changegroup with a manifest for each folder. */
export function hasTreeManifests(): Error {
  return unsupportedError(l10n.t('The other side has a manifest for each folder (tree manifests).'), {
    subject: 'treemanifest',
    advice: l10n.t('Use Mercurial itself for this repository.'),
  });
}

/** The bytes that follow, without the frame itself; 0 at the end of a group. */
async function readFrame(reader: ByteReader, least: number): Promise<number> {
  const bytes = reader.buffered >= frame ? reader.take(frame) : await reader.read(frame);
  const length = (bytes[0] << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3];
  if (length === 0) return 0;
  if (length < frame + least) throw impossible(reader, length);
  return length - frame;
}

function parseRevision(
  chunk: Uint8Array,
  version: ChangegroupVersion,
  headLength: number,
  before: Node | undefined,
): ChangegroupRevision {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const p1 = nodeAt(bytes, nodeLength);
  const hasBase = version !== '01';
  const node = nodeAt(bytes);
  const delta = Buffer.from(bytes.subarray(headLength));
  const flags = version === '03' ? bytes.readUInt16BE(headLength - 2) : flagsByDelta(delta);
  // Kept as it is, such a revision could be read by nobody, and what it holds can be checked by nobody.
  if ((flags & ~(censoredFlag | copiesFlag)) !== 0) {
    throw unsupportedError(l10n.t('Revision {0} {1}.', node, whyWithoutText(flags) ?? l10n.t('has no text')), {
      subject: node,
      advice: l10n.t('Use Mercurial itself for this repository.'),
    });
  }
  return {
    node,
    p1,
    p2: nodeAt(bytes, 2 * nodeLength),
    base: hasBase ? nodeAt(bytes, 3 * nodeLength) : (before ?? p1),
    link: nodeAt(bytes, (hasBase ? 4 : 3) * nodeLength),
    flags,
    delta,
  };
}

/** Versions without flags tell of a censored revision by what stands in its place: always the whole of the text. */
function flagsByDelta(delta: Buffer): number {
  const isWhole = delta.length > hunkHead && delta.readUInt32BE(0) === 0;
  return isWhole && isTombstone(delta.subarray(hunkHead)) ? censoredFlag : 0;
}

function impossible(reader: ByteReader, length: number): Error {
  const offset = reader.offset - frame;
  return corruptError(l10n.t('The {0} has a chunk of length {1} at offset {2}.', reader.name, length, offset), {
    subject: reader.name,
    offset,
  });
}
