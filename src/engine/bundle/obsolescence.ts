import { corruptError, unsupportedError } from '../io/errors';

/** The version of markers that newer programs write; in the older one a marker does not say how long it is. */
export const markersVersion = 1;
const shortestMarker = 19;

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
    throw unsupportedError(`${subject} holds obsolescence markers of version ${list[0]}.`, { subject });
  }
  const markers: Buffer[] = [];
  for (let at = 1; at < list.length;) {
    const length = at + 4 <= list.length ? list.readUInt32BE(at) : 0;
    if (length < shortestMarker || at + length > list.length) {
      throw corruptError(`${subject} has an obsolescence marker of an impossible length at offset ${at}.`, {
        subject,
        offset: at,
      });
    }
    markers.push(list.subarray(at, at + length));
    at += length;
  }
  return markers;
}
