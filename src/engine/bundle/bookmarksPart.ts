import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { nodeAt, type Node } from '../revlog/node';

/** What a node of twenty 0xff bytes stands for in a `bookmarks` part: the bookmark is not there. */
const absent = 'f'.repeat(40);

/**
 * Parses the payload of a `bookmarks` part: for each bookmark a 20-byte node, a 2-byte big-endian name length, the name.
 * Names are bytes, as Latin-1. Bookmarks that are said not to exist are left out.
 * @throws `corrupt` when an entry runs past the end.
 * @see `hg help internals.bundle2`
 */
export function parseBookmarks(payload: Uint8Array): Map<string, Node> {
  const bookmarks = new Map<string, Node>();
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 22 <= bytes.length ? at + 22 + bytes.readUInt16BE(at + 20) : Infinity;
    if (nameEnd > bytes.length) {
      throw corruptError(l10n.t('A bookmarks part of {0} bytes ends inside an entry.', bytes.length), {
        subject: 'bookmarks',
        offset: at,
      });
    }
    const node = nodeAt(bytes, at);
    if (node !== absent) bookmarks.set(bytes.toString('latin1', at + 22, nameEnd), node);
    at = nameEnd;
  }
  return bookmarks;
}
