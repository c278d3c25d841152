import * as l10n from '@vscode/l10n';
import { integrityError } from '../io/errors';
import type { Node, Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';
import { openRevlogIfThere } from '../store/openRevlog';
import type { RepositoryFolders } from '../store/repositoryFolders';

/** One revision of a tracked file, in its history. The history is to be disposed of. */
export interface FileRevision {
  filelog: Revlog;
  rev: Rev;
}

/**
 * Opens the history of a tracked file and finds one revision in it.
 * @param path bytes as Latin-1
 * @throws `integrity` with the path as subject when the store does not have it
 */
export function openFileRevision(repository: RepositoryFolders, path: string, node: Node): FileRevision {
  const filelog = openRevlogIfThere(repository, `data/${path}.i`);
  const rev = filelog?.find(node);
  if (filelog !== undefined && rev !== undefined && rev >= 0) return { filelog, rev };
  filelog?.[Symbol.dispose]();
  throw integrityError(l10n.t('The store does not have revision {0} of {1}.', node, shownPath(path)), {
    subject: path,
    advice: l10n.t('The repository that it came from is probably damaged: "hg verify" there tells.'),
  });
}

/** The content of one revision of a small tracked file. @throws as {@link openFileRevision} and `Revlog.fileText` do */
export function readFileRevision(repository: RepositoryFolders, path: string, node: Node): Uint8Array {
  const { filelog, rev } = openFileRevision(repository, path, node);
  try {
    return filelog.fileText(rev);
  } finally {
    filelog[Symbol.dispose]();
  }
}

/** A path for people. */
export function shownPath(path: string): string {
  return JSON.stringify(Buffer.from(path, 'latin1').toString('utf8').slice(0, 200));
}
