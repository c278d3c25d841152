import * as l10n from '@vscode/l10n';
import { corruptError, unsupportedError } from '../io/errors';
import type { PackWindow } from './packWindow';

const headerLength = 12;

/**
 * Reads the head of a pack: `PACK`, the version (2 or 3) and the number of objects, 4 bytes each, most significant first
 * (`git help gitformat-pack`). The count is what the pack says, no more: nothing may be allocated by it.
 * @throws `corrupt` when this is no pack, `unsupported` for another version.
 */
export async function readPackHeader(window: PackWindow): Promise<{ version: number; count: number }> {
  await window.fill(headerLength);
  const { buffer, at, name } = window;
  const view = new DataView(buffer.buffer, at, Math.min(headerLength, window.available));
  if (window.available >= 4 && view.getUint32(0) !== 0x5041_434b) {
    throw corruptError(l10n.t('{0} is not a Git pack: it does not begin with PACK.', name), {
      subject: name,
      offset: 0,
    });
  }
  if (window.available < headerLength) throw window.endedEarly(l10n.t('its header'));
  const version = view.getUint32(4);
  if (version !== 2 && version !== 3) {
    throw unsupportedError(l10n.t('{0} is a pack of version {1}; versions 2 and 3 are known.', name, version), {
      subject: l10n.t('pack version {0}', version),
      offset: 4,
    });
  }
  const count = view.getUint32(8);
  window.at += headerLength;
  return { version, count };
}
