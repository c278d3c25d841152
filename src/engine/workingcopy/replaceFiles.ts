import * as l10n from '@vscode/l10n';
import { rmdirSync, unlinkSync, type Stats } from 'node:fs';
import { destinationError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { explain, FolderMaker, writeBatch } from './checkoutBatch';
import { diskPath } from './diskPath';
import { readFileRevision, shownPath } from './filelog';
import { isUntouched, statOf, type CleanFiles } from './localChanges';
import type { Manifest } from './manifest';
import { writeLink } from './symlinks';

/** What is different between two manifests: paths, bytes as Latin-1, in order. */
export interface FileChanges {
  removed: string[];
  /** Files that come or become others. */
  written: string[];
}

/** Compares two manifests. */
export function changesBetween(before: Manifest, after: Manifest): FileChanges {
  const changes: FileChanges = { removed: [], written: [] };
  for (let index = 0; index < before.length; index++) {
    const path = before.path(index);
    if (after.find(path) < 0) changes.removed.push(path);
  }
  for (let index = 0; index < after.length; index++) {
    const path = after.path(index);
    const at = before.find(path);
    const isSame = at >= 0 && before.node(at) === after.node(index) && before.kind(at) === after.kind(index);
    if (!isSame) changes.written.push(path);
  }
  return changes;
}

/** What stands where a file would come, though it is not tracked; undefined when nothing does. Bytes as Latin-1. */
export function findInTheWay(root: string, { removed, written }: FileChanges, before: Manifest): string | undefined {
  const leaves = new Set(removed);
  const seen = new Set<string>();
  for (const path of written) {
    if (before.find(path) < 0 && statOf(root, path) !== undefined) return path;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash);
      if (seen.has(folder)) continue;
      seen.add(folder);
      const stats = statOf(root, folder);
      if (stats !== undefined && !stats.isDirectory() && !leaves.has(folder)) return folder;
    }
  }
  return undefined;
}

/**
 * Turns the files of one manifest into those of another, each only if it is still what it was when it was looked at. When
 * something goes wrong, what was done is undone.
 *
 * @param onFile is told of each file that is done
 * @returns what is known of the files that were written, by path
 * @throws `destination` for a file that was changed meanwhile, and as `writeBatch`
 */
export async function replaceFiles(
  repository: RepositoryFolders,
  before: Manifest,
  after: Manifest,
  changes: FileChanges,
  clean: CleanFiles,
  onFile: () => void,
): Promise<Map<string, Stats>> {
  const { root } = repository;
  const taken: string[] = [];
  const written = new Map<string, Stats>();
  const take = (path: string) => {
    const known = clean.get(path);
    if (known === undefined) return;
    if (!isUntouched(root, path, known.stats)) throw changedMeanwhile(path);
    unlinkSync(diskPath(root, path));
    taken.push(path);
  };
  try {
    for (const path of changes.removed) {
      take(path);
      removeEmptyFolders(root, path);
      onFile();
    }
    // Links last: so that no file is written through one.
    for (const isLink of [false, true]) {
      for (const path of changes.written) {
        if ((after.kind(after.find(path)) === 'symlink') !== isLink) continue;
        take(path);
        written.set(path, await writeOne(repository, after, path));
        onFile();
      }
    }
    return written;
  } catch (error) {
    for (const [path, stats] of written) if (isUntouched(root, path, stats)) unlinkSync(diskPath(root, path));
    for (const path of taken) if (statOf(root, path) === undefined) await writeOne(repository, before, path);
    throw explain(error, root, taken.at(-1) ?? '');
  }
}

const neverStopped: Pick<Operation, 'signal'> = { signal: new AbortController().signal };

async function writeOne(repository: RepositoryFolders, manifest: Manifest, path: string): Promise<Stats> {
  const index = manifest.find(path);
  if (manifest.kind(index) === 'symlink') {
    new FolderMaker(repository.root).make(path);
    writeLink(diskPath(repository.root, path), readFileRevision(repository, path, manifest.node(index)));
  } else await writeBatch(repository, manifest, { from: index, to: index + 1 }, neverStopped);
  const stats = statOf(repository.root, path);
  if (stats === undefined) throw changedMeanwhile(path);
  return stats;
}

function removeEmptyFolders(root: string, path: string): void {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    try {
      rmdirSync(diskPath(root, path.slice(0, slash)));
    } catch {
      // It holds something else, or is somebody's working folder.
      return;
    }
  }
}

function changedMeanwhile(path: string): Error {
  return destinationError(l10n.t('{0} was changed while the working copy was updated.', shownPath(path)), {
    subject: path,
    advice: l10n.t('The update was undone; your change is kept.'),
  });
}
