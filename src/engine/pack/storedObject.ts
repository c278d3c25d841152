import * as l10n from '@vscode/l10n';
import { constants, inflateSync } from 'node:zlib';
import { corruptError } from '../io/errors';
import type { Content } from './content';
import { inflateContent, type ReadingLimits } from './inflateContent';
import { packedBound } from './inflateEntry';
import { kindOfName, type ObjectKind } from './objectKind';
import { openFileSource } from './packSource';
import { PackWindow, windowSize } from './packWindow';

/** An object of the store, inflated. */
export interface StoredObject {
  kind: ObjectKind;
  content: Content;
}

/**
 * Inflates what begins at `position` of an open file and has `size` bytes.
 * @throws `corrupt` with the offset.
 */
export async function inflateAt(
  file: number,
  position: number,
  size: number,
  name: string,
  limits: ReadingLimits,
): Promise<Content> {
  return inflateContent(windowAt(file, position, size, name), size, position, limits);
}

const longestLooseHeader = 32;

/**
 * Reads an open loose object: one zlib stream of `kind size\0` and the content.
 * @throws `corrupt` when the file is not one.
 */
export async function readLooseObject(file: number, name: string, limits: ReadingLimits): Promise<StoredObject> {
  const probe = new PackWindow(openFileSource(file, 0, name), 'corrupt', 512);
  await probe.fill(512);
  const { kind, size, length } = looseHeaderOf(probe.buffer.subarray(0, probe.end), name);
  const content = await inflateContent(windowAt(file, 0, size + length, name), size, 0, limits, { skipped: length });
  return { kind, content };
}

/** A window from `position` on, as large as an object of `size` bytes needs. */
function windowAt(file: number, position: number, size: number, name: string): PackWindow {
  const capacity = Math.min(windowSize, packedBound(size));
  return new PackWindow(openFileSource(file, position, name), 'corrupt', capacity);
}

/** Reads the header at the begin of a loose object's file, of which a part is enough. */
function looseHeaderOf(begin: Uint8Array, name: string): { kind: ObjectKind; size: number; length: number } {
  let inflated: Uint8Array = new Uint8Array(0);
  try {
    inflated = inflateSync(begin, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    // Told below: there is no header then.
  }
  const end = inflated.subarray(0, longestLooseHeader).indexOf(0);
  const match =
    end < 0 ? null : /^([a-z]+) (0|[1-9]\d*)$/.exec(Buffer.from(inflated.subarray(0, end)).toString('latin1'));
  const kind = match === null ? undefined : kindOfName(match[1]);
  const size = match === null ? NaN : Number(match[2]);
  if (kind === undefined || !Number.isSafeInteger(size)) {
    throw corruptError(l10n.t('{0} is not a loose object.', name), { subject: name, offset: 0 });
  }
  return { kind, size, length: end + 1 };
}
