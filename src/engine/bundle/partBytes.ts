import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { concatenate } from '../io/byteReader';
import type { Bundle2Part } from './bundle2Reader';

/**
 * The whole payload of a part that is small by nature.
 * @throws `corrupt` once it passes `limit` bytes, before memory does.
 */
export async function partBytes(part: Bundle2Part, limit = 64 << 20): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of part.payload) {
    length += piece.length;
    if (length > limit) {
      throw corruptError(l10n.t('Part {0} holds more than {1} bytes.', part.type, limit), { subject: part.type });
    }
    pieces.push(piece.slice());
  }
  return concatenate(pieces, length);
}
