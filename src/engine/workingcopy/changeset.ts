import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { isNode, type Node } from '../revlog/node';

/** What a checkout has to know of a changeset. */
export interface Changeset {
  /** The manifest; the null node when the changeset has no files at all. */
  manifest: Node;
  /** The named branch, as UTF-8 bytes in Latin-1. */
  branch: string;
  /** Whether it closes its head of the branch. */
  closes: boolean;
}

export const defaultBranch = 'default';

/**
 * Parses the head of a changelog text: lines of manifest node, user, and date with extra items. The items are `key:value`
 * with NUL between them, and with backslash, NUL and line ends in them escaped.
 *
 * @throws `corrupt` when the text is not that of a changeset
 */
export function parseChangeset(text: Uint8Array, subject: string): Changeset {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
  const userEnd = bytes.indexOf(0x0a, 41);
  const dateEnd = userEnd < 0 ? -1 : bytes.indexOf(0x0a, userEnd + 1);
  const manifest = bytes.toString('latin1', 0, 40);
  if (dateEnd < 0 || bytes[40] !== 0x0a || !isNode(manifest)) {
    throw corruptError(l10n.t('{0} is not the text of a changeset.', subject), { subject });
  }
  const extra = parseExtra(bytes.toString('latin1', userEnd + 1, dateEnd));
  return { manifest, branch: extra.get('branch') ?? defaultBranch, closes: extra.has('close') };
}

/** The items after time and time zone; most changesets have none. */
function parseExtra(dateLine: string): Map<string, string> {
  const extra = new Map<string, string>();
  const start = dateLine.indexOf(' ', dateLine.indexOf(' ') + 1);
  if (start < 0) return extra;
  for (const item of dateLine.slice(start + 1).split('\0')) {
    const colon = item.indexOf(':');
    if (colon > 0) extra.set(unescape(item.slice(0, colon)), unescape(item.slice(colon + 1)));
  }
  return extra;
}

const escapes: Record<string, string> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r', '\\0': '\0' };

function unescape(text: string): string {
  return text.includes('\\') ? text.replace(/\\[\\nr0]/g, (escape) => escapes[escape]) : text;
}
