import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import type { Node } from '../revlog/node';
import { parseChangeset } from '../workingcopy/changeset';

/** A changeset as people read it; all text is UTF-8. */
export interface ChangesetWords {
  node: Node;
  /** Without those that are none. */
  parents: Node[];
  user: string;
  /** Seconds since 1970, and the offset of the time zone in seconds, west of Greenwich positive. */
  date: { seconds: number; offset: number };
  branch: string;
  description: string;
  files: string[];
}

/**
 * Parses the text of a changeset: lines of manifest, user, date with extra items, and files, an empty line, the
 * description.
 *
 * @throws `corrupt` when it is none
 */
export function parseChangesetWords(text: Uint8Array, node: Node, parents: Node[]): ChangesetWords {
  const { branch } = parseChangeset(text, `changeset ${node}`);
  const words = Buffer.from(text.buffer, text.byteOffset, text.length).toString();
  const end = words.indexOf('\n\n');
  if (end < 0) throw corruptError(l10n.t('Changeset {0} has no description.', node), { subject: node });
  const [, user, dateLine, ...files] = words.slice(0, end).split('\n');
  const [seconds, offset] = dateLine.split(' ').map(Number);
  if (!Number.isFinite(seconds) || !Number.isFinite(offset)) {
    throw corruptError(l10n.t('Changeset {0} has no date.', node), { subject: node });
  }
  const description = words.slice(end + 2);
  const branchName = Buffer.from(branch, 'latin1').toString();
  return { node, parents, user, date: { seconds, offset }, branch: branchName, description, files };
}
