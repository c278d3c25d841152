import { readdirSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EngineError } from '../../engine/io/errors';
import { openGitRepository } from '../../engine/pack/gitRepository';

/** A repository whose store the tree shows. */
export interface FoundRepository {
  kind: 'hg' | 'git';
  /** The working copy, or a bare Git repository. */
  root: string;
  /** A person has opened it beside the folders of the window. */
  isOpened?: boolean;
}

/**
 * The repositories of a folder: itself, and its subfolders one level down. A `.hg` or `.git` stands for its working copy.
 * A Git repository counts when it has packs.
 */
export async function findRepositories(folder: string): Promise<FoundRepository[]> {
  if (['.hg', '.git'].includes(basename(folder))) return repositoriesAt(dirname(folder));
  const found = repositoriesAt(folder);
  for (const name of await subfolders(folder)) found.push(...repositoriesAt(join(folder, name)));
  return found;
}

/** A pack on disk. */
export interface FoundPack {
  path: string;
  bytes: number;
}

/** The packs of a Git repository, largest first; none where the repository cannot be understood. */
export function packsOf(root: string): FoundPack[] {
  const folder = packFolderOf(root);
  if (folder === undefined) return [];
  return listOf(folder)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0 }))
    .sort((one, other) => other.bytes - one.bytes);
}

/** Where a Git repository keeps its packs. */
export function packFolderOf(root: string): string | undefined {
  try {
    return join(openGitRepository(root).objects, 'pack');
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

/** Where the Git repositories of a folder keep their packs, or will: its own, and those of its subfolders. */
export async function packFoldersIn(folder: string): Promise<string[]> {
  const roots = [folder, ...(await subfolders(folder)).map((name) => join(folder, name))];
  return roots.map(packFolderOf).filter((path) => path !== undefined);
}

function repositoriesAt(root: string): FoundRepository[] {
  const found: FoundRepository[] = [];
  if (isFolder(join(root, '.hg'))) found.push({ kind: 'hg', root });
  if (packsOf(root).length > 0) found.push({ kind: 'git', root });
  return found;
}

async function subfolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort();
  } catch {
    // Gone, or not to be read: then there is nothing to show.
    return [];
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
