import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { diskPath } from './diskPath';
import type { Dirstate, DirstateEntry } from './dirstate';
import { readFileRevision } from './filelog';
import type { Manifest } from './manifest';

/** Files that are as the parent has them, with how they were when they were looked at. */
export type CleanFiles = Map<string, { entry: DirstateEntry; stats: Stats }>;

/** Larger files whose time alone differs are taken for changed: they are not read for this. */
const largestRead = 64 << 20;

/**
 * Looks at every tracked file. What differs from the parent in anything, is missing, added, removed or copied, counts as
 * changed.
 *
 * @param manifest of the parent
 * @returns the path of a file that is changed, bytes as Latin-1; or all files, which are clean
 * @throws what the store throws for files that have to be compared
 */
export function findLocalChange(
  repository: RepositoryFolders,
  { entries }: Dirstate,
  manifest: Manifest,
  operation: Pick<Operation, 'signal'>,
): { changed: string } | { clean: CleanFiles } {
  const clean: CleanFiles = new Map();
  for (const [count, entry] of entries.entries()) {
    if (count % 256 === 0) throwIfCancelled(operation);
    const index = manifest.find(entry.path);
    const isPlain = entry.state === 'n' && entry.size !== -2 && entry.copySource === undefined;
    const stats = isPlain && index >= 0 ? statOf(repository.root, entry.path) : undefined;
    if (stats === undefined || !isAsTracked(repository, entry, stats, manifest, index)) return { changed: entry.path };
    clean.set(entry.path, { entry, stats });
  }
  for (let index = 0; clean.size < manifest.length && index < manifest.length; index++) {
    if (!clean.has(manifest.path(index))) return { changed: manifest.path(index) };
  }
  return { clean };
}

/** Whether a file is still what it was when it was looked at. */
export function isUntouched(root: string, path: string, before: Stats): boolean {
  const now = statOf(root, path);
  return (['ino', 'size', 'mode', 'mtimeMs', 'ctimeMs'] as const).every((key) => now?.[key] === before[key]);
}

/** What is at a tracked path, without following a link; undefined when nothing is. */
export function statOf(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(diskPath(root, path));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

function isAsTracked(
  repository: RepositoryFolders,
  entry: DirstateEntry,
  stats: Stats,
  manifest: Manifest,
  index: number,
): boolean {
  const kind = manifest.kind(index);
  const isWindows = process.platform === 'win32';
  if (kind === 'symlink' && !isWindows ? !stats.isSymbolicLink() : !stats.isFile()) return false;
  if (!isWindows && kind !== 'symlink' && (kind === 'executable') !== ((stats.mode & 0o100) !== 0)) return false;
  const isSameSize = entry.size === stats.size % 2 ** 31;
  if (entry.size >= 0 && !isSameSize) return false;
  if (isSameSize && entry.mtime === Math.floor(stats.mtimeMs / 1000) % 2 ** 31) return true;
  if (stats.size > largestRead) return false;
  const path = diskPath(repository.root, entry.path);
  const content = stats.isSymbolicLink() ? readlinkSync(path, 'buffer') : readFileSync(path);
  return content.equals(readFileRevision(repository, entry.path, manifest.node(index)));
}
