import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';

/**
 * Parses the payload of a `listkeys` part: lines of key, tab, value. Keys and values are bytes, as Latin-1.
 * @throws `corrupt` for a line without a tab.
 * @see `hg help internals.wireprotocol`, command `listkeys`
 */
export function parseListkeys(payload: Uint8Array): Map<string, string> {
  const keys = new Map<string, string>();
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('latin1');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const tab = line.indexOf('\t');
    if (tab < 0) throw corruptError(l10n.t('A listkeys line has no value: {0}.', JSON.stringify(line.slice(0, 80))));
    keys.set(line.slice(0, tab), line.slice(tab + 1));
  }
  return keys;
}
