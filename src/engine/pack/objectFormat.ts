import * as l10n from '@vscode/l10n';
import { createHash, type Hash } from 'node:crypto';
import { unsupportedError } from '../io/errors';

/** The hash that names a repository's objects (`extensions.objectFormat`, bundle capability `object-format`). */
export type ObjectFormatName = 'sha1' | 'sha256';

export interface ObjectFormat {
  name: ObjectFormatName;
  /** Bytes of an object name, and of every checksum in packs and indexes. */
  nameLength: number;
}

export const sha1Format: ObjectFormat = { name: 'sha1', nameLength: 20 };
export const sha256Format: ObjectFormat = { name: 'sha256', nameLength: 32 };

/** @throws `unsupported` for a hash that this engine does not have; `where` says who asked for it. */
export function objectFormat(name: string, where: string): ObjectFormat {
  if (name === 'sha1') return sha1Format;
  if (name === 'sha256') return sha256Format;
  throw unsupportedError(l10n.t('{0} uses the object format {1}; only sha1 and sha256 are known.', where, name), {
    subject: `object-format=${name}`,
  });
}

export function newHash(format: ObjectFormat): Hash {
  return createHash(format.name);
}

/** The name of the object whose loose header is `header` and whose content is `content`. */
export function objectName(format: ObjectFormat, header: Uint8Array, content: Uint8Array): Uint8Array {
  return createHash(format.name).update(header).update(content).digest();
}

/** An object name in hexadecimal digits. */
export function hexName(names: Uint8Array, at = 0, length = names.length - at): string {
  return Buffer.from(names.buffer, names.byteOffset + at, length).toString('hex');
}

/** The bytes of a name that is given in hexadecimal digits, or undefined when it is not one. */
export function nameOfHex(format: ObjectFormat, hex: string): Uint8Array | undefined {
  if (hex.length !== format.nameLength * 2 || !/^[0-9a-f]*$/.test(hex)) return undefined;
  return Buffer.from(hex, 'hex');
}
