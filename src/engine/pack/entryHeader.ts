import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { isObjectKind, packType } from './objectKind';

/** The longest header: ten bytes of size, then a base name of 32 bytes or an offset of at most ten. */
export const longestEntryHeader = 48;

/** The header of one entry; one of these is filled again and again while a pack is read. */
export interface EntryHeader {
  /** One of `packType`. */
  type: number;
  /** Bytes that follow once inflated: of the object, or of the delta. */
  size: number;
  /** For an offset delta: how many bytes before this entry its base begins. */
  distance: number;
  /** For a name delta: where in the buffer the base's name is. */
  baseNameAt: number;
  /** Bytes of the header itself. */
  length: number;
}

export const emptyEntryHeader = (): EntryHeader => ({ type: 0, size: 0, distance: 0, baseNameAt: 0, length: 0 });

/**
 * Reads the header of the entry at `at` into `header`: a first byte of continuation bit, three bits of type and four of
 * size, then seven more bits of size a byte, the least significant first. An offset delta goes on with its distance, a
 * name delta with its base's name (`git help gitformat-pack`). Sizes and distances are doubles: exact to 2^53.
 *
 * @param offset where the entry begins in the pack, for errors.
 * @returns false when the buffer ends inside the header.
 * @throws `corrupt` for a type that no object has and for numbers that no pack can hold.
 */
export function readEntryHeader(
  buffer: Uint8Array,
  at: number,
  end: number,
  nameLength: number,
  offset: number,
  packName: string,
  header: EntryHeader,
): boolean {
  let position = at;
  if (position >= end) return false;
  let byte = buffer[position++];
  header.type = (byte >> 4) & 7;
  let size = byte & 15;
  let scale = 16;
  while (byte >= 128) {
    if (position >= end) return false;
    byte = buffer[position++];
    size += (byte & 127) * scale;
    scale *= 128;
    if (size > Number.MAX_SAFE_INTEGER) throw tooLarge(offset, packName);
    if (position - at > 10) throw tooLarge(offset, packName);
  }
  header.size = size;
  header.distance = 0;
  if (header.type === packType.offsetDelta) {
    if (position >= end) return false;
    byte = buffer[position++];
    let distance = byte & 127;
    while (byte >= 128) {
      if (position >= end) return false;
      byte = buffer[position++];
      // The encoding leaves no value out: each further byte also adds one to what came before.
      distance = (distance + 1) * 128 + (byte & 127);
      if (distance > offset) break;
    }
    if (distance === 0 || distance > offset) {
      throw corruptError(
        l10n.t(
          'The entry at offset {0} of {1} is a delta whose base would be {2} bytes before it{3}.',
          offset,
          packName,
          distance,
          distance === 0 ? l10n.t(': itself') : l10n.t(', before the pack begins'),
        ),
        { subject: packName, offset },
      );
    }
    header.distance = distance;
  } else if (header.type === packType.nameDelta) {
    if (position + nameLength > end) return false;
    header.baseNameAt = position;
    position += nameLength;
  } else if (!isObjectKind(header.type)) {
    throw corruptError(
      l10n.t('The entry at offset {0} of {1} has the type {2}, which no object has.', offset, packName, header.type),
      {
        subject: packName,
        offset,
      },
    );
  }
  header.length = position - at;
  return true;
}

function tooLarge(offset: number, packName: string): Error {
  return corruptError(
    l10n.t('The entry at offset {0} of {1} claims a size that no object can have.', offset, packName),
    {
      subject: packName,
      offset,
    },
  );
}
