import { existsSync, opendirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { throwIfCancelled, type Operation } from '../io/operation';
import { readFncache } from '../store/fncache';
import { decodeStorePath, encodeStorePath } from '../store/pathEncoding';
import type { RepositoryFolders } from '../store/repositoryFolders';

/** What the revisions of a revlog are. */
export const revlogRoles = ['changelog', 'manifest', 'tree', 'file'] as const;
export type RevlogRole = (typeof revlogRoles)[number];

/** A revlog of a store. */
export interface StoreRevlog {
  role: RevlogRole;
  /** As people know it: `changelog`, `manifest`, the folder of a tree manifest, the path of a file. */
  name: string;
  /** Of its index. */
  path: string;
  chunkPath: string;
}

/** The revlogs of a store by name, which is all that is kept of half a million of them. */
export interface StoreListing {
  /** Names in the store (bytes as Latin-1), or paths in it where `isWalked`. */
  names: string[];
  /** The store's folders were searched: there was no fncache, or it was damaged. */
  isWalked: boolean;
  /** Why they were, when that is not as it should be. */
  problem?: string;
}

const treeEnd = '/00manifest.i';
const topNames = ['00changelog.i', '00manifest.i'];

/**
 * Lists the revlogs of a repository: those that fncache names and, where there is none or it is damaged, those found in
 * the store's folders.
 *
 * @throws `cancelled`, the file system's own error
 */
export function listRevlogs(repository: RepositoryFolders, operation: Operation): StoreListing {
  const { store, layout } = repository;
  const top = topNames.filter((name) => existsSync(join(store, name)));
  let problem: string | undefined;
  if (layout !== 'store') {
    try {
      const names = readFncache(store).filter((name) => name.endsWith('.i'));
      if (names.length > 0) return { names: [...top, ...names], isWalked: false };
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  const names = [...top];
  for (const folder of ['data', 'meta', 'dh']) {
    for (const path of walk(store, folder, operation)) names.push(path);
  }
  return { names, isWalked: true, problem };
}

/**
 * One of the revlogs that were listed. Files are named as they are tracked; where only a hashed name is left, by that.
 */
export function storeRevlog(repository: RepositoryFolders, listing: StoreListing, at: number): StoreRevlog {
  const { store, layout } = repository;
  const listed = listing.names[at];
  const name = listing.isWalked ? decodeStorePath(listed, layout) : listed;
  if (name === undefined) {
    const path = join(store, listed);
    return { role: 'file', name: listed, path, chunkPath: path.replace(/\.i$/, '.d') };
  }
  return {
    ...roleOf(name),
    path: join(store, encodeStorePath(name, layout)),
    chunkPath: join(store, encodeStorePath(name.replace(/\.i$/, '.d'), layout)),
  };
}

function roleOf(name: string): { role: RevlogRole; name: string } {
  if (topNames.includes(name)) {
    const role = name === topNames[0] ? 'changelog' : 'manifest';
    return { role, name: role };
  }
  if (name.startsWith('meta/') && name.endsWith(treeEnd)) {
    return { role: 'tree', name: utf8(name.slice('meta/'.length, -treeEnd.length)) };
  }
  return { role: 'file', name: utf8(name.replace(/^data\//, '').replace(/\.i$/, '')) };
}

/** Paths of indexes in a folder of the store, relative to the store. */
function* walk(store: string, folder: string, operation: Operation): Generator<string> {
  throwIfCancelled(operation);
  for (const entry of entriesOf(join(store, folder))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(store, path, operation);
    else if (entry.isFile() && entry.name.endsWith('.i')) yield path;
  }
}

function* entriesOf(path: string): Generator<Dirent> {
  if (!existsSync(path)) return;
  const folder = opendirSync(path);
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) yield entry;
  } finally {
    folder.closeSync();
  }
}

/** Names of the store are bytes as Latin-1; people's are mostly UTF-8. */
function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
