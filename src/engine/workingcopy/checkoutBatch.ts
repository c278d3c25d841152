import { fstatSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { asDestinationError, corruptError, destinationError, EngineError, integrityError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { Node, Rev } from '../revlog/node';
import { encodeStorePath } from '../store/pathEncoding';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { diskPath } from './diskPath';
import { largeText, withoutMetadata, writeAll, writeLargeText, writingNew } from './fileText';
import type { Manifest } from './manifest';
import { RevisionFile } from './revisionFile';

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

/**
 * Opens the history of a tracked file and finds one revision in it.
 * @throws `integrity` when the store does not have it
 */
export function openFileRevision(
  repository: RepositoryFolders,
  path: string,
  node: Node,
): { revisions: RevisionFile; rev: Rev } {
  const revisions = openFileHistory(repository, path);
  const rev = revisions.find(node);
  if (rev !== undefined) return { revisions, rev };
  revisions[Symbol.dispose]();
  throw missing(path, node);
}

function openFileHistory(repository: RepositoryFolders, path: string): RevisionFile {
  try {
    return RevisionFile.open(join(repository.store, encodeStorePath(`data/${path}.i`, repository.layout)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw missing(path, '');
    throw error;
  }
}

function missing(path: string, node: string): Error {
  const revision = node === '' ? 'any revision' : `revision ${node}`;
  return integrityError(`The store does not have ${revision} of ${shown(path)}.`, {
    subject: path,
    advice: 'The repository that it came from is probably damaged: "hg verify" there tells.',
  });
}

async function writeFile(
  repository: RepositoryFolders,
  path: string,
  node: Node,
  mode: number,
): Promise<{ mode: number; size: number; mtimeMs: number }> {
  const { revisions, rev } = openFileRevision(repository, path, node);
  try {
    return await writingNew(diskPath(repository.root, path), mode, async (file) => {
      if (revisions.textLength(rev) >= largeText) await writeLargeText(revisions, rev, file);
      else writeAll(file, withoutMetadata(revisions.text(rev), revisions.describe(rev)));
      return fstatSync(file);
    });
  } finally {
    revisions[Symbol.dispose]();
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
    return destinationError(`There is something at ${shown(path)} already.`, {
      subject: path,
      advice: 'Another file of the changeset may differ in upper and lower case alone.',
    });
  }
  if (error.code === 'ENOTDIR') {
    return corruptError(`The changeset has ${shown(path)}, and a file where its folder should be.`, { subject: path });
  }
  return asDestinationError(error, join(root, Buffer.from(path, 'latin1').toString('utf8')));
}

function shown(path: string): string {
  return JSON.stringify(Buffer.from(path, 'latin1').toString('utf8'));
}
