import * as l10n from '@vscode/l10n';
import { corruptError, unsupportedError } from '../io/errors';
import { nodeAt, type Node } from '../revlog/node';

/** The version of markers that newer programs write; in the older one a marker does not say how long it is. */
export const markersVersion = 1;
const shortestMarker = 19;
/** Where flags and counts stand, and behind them the changesets: after length (4 bytes), time (8) and zone (2). */
const flagsAt = 14;
const countsAt = 16;
const nodesAt = 19;
const nodeLength = 20;
/** In the flags: nodes are of 32 bytes, which no repository has yet. */
const longNodesFlag = 2;
/** In place of a count of parents: nobody noted them. */
const unknownParents = 3;

/**
 * Divides a list of obsolescence markers: a byte for the version, then markers that begin with their own length, 4 bytes,
 * big-endian. This is the form of an `obsmarkers` part, and of the file `obsstore`.
 *
 * @returns the markers, as views
 * @throws `unsupported` for another version, `corrupt` when a marker's length cannot be
 */
export function divideMarkers(bytes: Uint8Array, subject: string): Buffer[] {
  const list = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (list.length === 0) return [];
  if (list[0] !== markersVersion) {
    throw unsupportedError(l10n.t('{0} holds obsolescence markers of version {1}.', subject, list[0]), { subject });
  }
  const markers: Buffer[] = [];
  for (let at = 1; at < list.length;) {
    const length = at + 4 <= list.length ? list.readUInt32BE(at) : 0;
    if (length < shortestMarker || at + length > list.length) {
      throw corruptError(l10n.t('{0} has an obsolescence marker of an impossible length at offset {1}.', subject, at), {
        subject,
        offset: at,
      });
    }
    markers.push(list.subarray(at, at + length));
    at += length;
  }
  return markers;
}

/** Which changesets a marker is about. */
export interface ReadMarker {
  /** What is obsolete. */
  predecessor: Node;
  /** What took its place; nothing where it was pruned. */
  successors: Node[];
  /** Of the predecessor, where somebody noted them. */
  parents: Node[];
}

/** Reads whom a marker is about; undefined for one with nodes of another length, or that ends before its nodes do. */
export function readMarker(marker: Buffer): ReadMarker | undefined {
  const [successors, noted] = [marker[countsAt], marker[countsAt + 1]];
  const parents = noted === unknownParents ? 0 : noted;
  const isShort = marker.length < nodesAt + nodeLength * (1 + successors + parents);
  if (isShort || (marker.readUInt16BE(flagsAt) & longNodesFlag) !== 0) return undefined;
  const node = (at: number) => nodeAt(marker, nodesAt + nodeLength * at);
  return {
    predecessor: node(0),
    successors: Array.from({ length: successors }, (_, at) => node(1 + at)),
    parents: Array.from({ length: parents }, (_, at) => node(1 + successors + at)),
  };
}
