import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';

const mark = Buffer.from('\x01\n');

/** A file's revision, divided. */
export interface FileText {
  /** What the history notes before the content, by key; empty for most revisions. Bytes as Latin-1. */
  metadata: ReadonlyMap<string, string>;
  content: Uint8Array;
}

const none: ReadonlyMap<string, string> = new Map();

/**
 * Divides the text of a filelog's revision into what stands between two marks of `\x01\n` at its beginning (lines of
 * `key: value`, such as `copy` and `copyrev`) and the content of the file. A content that begins with the mark itself has
 * empty metadata before it.
 *
 * @throws `corrupt` when the second mark is missing
 */
export function parseFileText(text: Uint8Array, subject: string): FileText {
  if (text[0] !== mark[0] || text[1] !== mark[1]) return { metadata: none, content: text };
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
  const end = bytes.indexOf(mark, mark.length);
  if (end < 0)
    throw corruptError(l10n.t('{0} begins with a note on its history that does not end.', subject), { subject });
  const metadata = new Map<string, string>();
  for (const line of bytes.toString('latin1', mark.length, end).split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) metadata.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return { metadata, content: text.subarray(end + mark.length) };
}
