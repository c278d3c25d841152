import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { asDestinationError, corruptError, destinationError, EngineError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { writeAll } from '../io/writeAll';
import type { Node } from '../revlog/node';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { diskPath } from './diskPath';
import { openFileRevision, shownPath } from './filelog';
import { largeText, writeLargeFile } from './largeFile';
import type { Manifest } from './manifest';

/** Files of a manifest, by their places in it: `to` is the first that does not belong. */
export interface FileRange {
  from: number;
  to: number;
}

/** What the files of a range became on disk: what the dirstate keeps of each. Places of symbolic links are zero. */
export interface CheckedOutFiles extends FileRange {
  modes: Int32Array<ArrayBuffer>;
  sizes: Float64Array<ArrayBuffer>;
  /** Whole seconds since 1970. */
  mtimes: Float64Array<ArrayBuffer>;
}

const cancelEvery = 64;

/** Writes the files of a range, except symbolic links. @throws as `checkoutBatch` says */
export async function writeBatch(
  repository: RepositoryFolders,
  manifest: Manifest,
  { from, to }: FileRange,
  operation: Pick<Operation, 'signal'>,
): Promise<CheckedOutFiles> {
  const count = to - from;
  const files = {
    from,
    to,
    modes: new Int32Array(count),
    sizes: new Float64Array(count),
    mtimes: new Float64Array(count),
  };
  const folders = new FolderMaker(repository.root);
  for (let index = from; index < to; index++) {
    if ((index - from) % cancelEvery === 0) throwIfCancelled(operation);
    const kind = manifest.kind(index);
    if (kind === 'symlink') continue;
    const path = manifest.path(index);
    try {
      folders.make(path);
      const written = await writeFile(repository, path, manifest.node(index), kind === 'executable' ? 0o777 : 0o666);
      files.modes[index - from] = written.mode;
      files.sizes[index - from] = written.size;
      files.mtimes[index - from] = Math.floor(written.mtimeMs / 1000);
    } catch (error) {
      throw explain(error, repository.root, path);
    }
  }
  return files;
}

async function writeFile(
  repository: RepositoryFolders,
  path: string,
  node: Node,
  mode: number,
): Promise<{ mode: number; size: number; mtimeMs: number }> {
  const { filelog, rev } = openFileRevision(repository, path, node);
  try {
    const file = openSync(diskPath(repository.root, path), 'wx', mode);
    try {
      if (filelog.textLength(rev) >= largeText) await writeLargeFile(filelog, rev, file);
      else writeAll(file, filelog.fileText(rev));
      return fstatSync(file);
    } finally {
      closeSync(file);
    }
  } finally {
    filelog[Symbol.dispose]();
  }
}

/**
 * Makes the folders that files need, each once: files come sorted, so most lie beside the one before.
 */
export class FolderMaker {
  private last = '';

  constructor(private readonly root: string) {}

  /** Makes the folders above a tracked file. */
  make(path: string): void {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (folder === this.last) return;
    if (!this.last.startsWith(`${folder}/`)) this.makeFolder(folder);
    this.last = folder;
  }

  private makeFolder(folder: string): void {
    try {
      mkdirSync(diskPath(this.root, folder));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') {
        // A link that was there before must not lead the file elsewhere.
        if (lstatSync(diskPath(this.root, folder)).isDirectory()) return;
        throw error;
      }
      if (code !== 'ENOENT' || !folder.includes('/')) throw error;
      this.makeFolder(folder.slice(0, folder.lastIndexOf('/')));
      this.makeFolder(folder);
    }
  }
}

/** Says of the file system's errors which file they are about, and what they mean in a checkout. */
export function explain(error: unknown, root: string, path: string): unknown {
  if (error instanceof EngineError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'EEXIST' || error.code === 'EISDIR') {
    return destinationError(l10n.t('There is something at {0} already.', shownPath(path)), {
      subject: path,
      advice: l10n.t('Another file of the changeset may differ in upper and lower case alone.'),
    });
  }
  if (error.code === 'ENOTDIR') {
    return corruptError(l10n.t('The changeset has {0}, and a file where its folder should be.', shownPath(path)), {
      subject: path,
    });
  }
  return asDestinationError(error, join(root, Buffer.from(path, 'latin1').toString('utf8')));
}
