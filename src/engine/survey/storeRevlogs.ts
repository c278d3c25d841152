import { existsSync, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { throwIfCancelled, type Operation } from '../io/operation';
import { readFncache } from '../store/fncache';
import { encodeStorePath } from '../store/pathEncoding';
import type { RepositoryFolders } from '../store/repositoryFolders';

/** What the revisions of a revlog are. */
export const revlogRoles = ['changelog', 'manifest', 'tree', 'file'] as const;
export type RevlogRole = (typeof revlogRoles)[number];

/** A revlog of a store. */
export interface StoreRevlog {
  role: RevlogRole;
  /** As people know it: `changelog`, `manifest`, the folder of a tree manifest, the path of a file. */
  name: string;
  path: string;
  chunkPath: string;
}

/** The revlogs of a store, and what was wrong when they were looked for. */
export interface StoreListing {
  revlogs: StoreRevlog[];
  problems: string[];
}

const treeEnd = '/00manifest.i';

/**
 * Lists the revlogs of a repository: those that fncache names and, where there is none or it is damaged, those found in
 * the store's folders. Files are named as they are tracked, unless their name in the store is hashed and fncache does not
 * tell it: then by that.
 *
 * @throws `cancelled`, the file system's own error
 */
export function listRevlogs(repository: RepositoryFolders, operation: Operation): StoreListing {
  const { store, layout } = repository;
  const problems: string[] = [];
  const top = topRevlogs(store);
  let names: string[] = [];
  let isListed = false;
  if (layout !== 'store') {
    try {
      names = readFncache(store).filter((name) => name.endsWith('.i'));
      isListed = names.length > 0;
    } catch (error) {
      problems.push(`${error instanceof Error ? error.message : String(error)} The folders were searched instead.`);
    }
  }
  if (isListed) {
    return {
      problems,
      revlogs: [
        ...top,
        ...names.map((name) => ({
          ...roleOf(name),
          path: join(store, encodeStorePath(name, layout)),
          chunkPath: join(store, encodeStorePath(name.replace(/\.i$/, '.d'), layout)),
        })),
      ],
    };
  }
  const found = ['data', 'meta', 'dh'].flatMap((folder) => [...walk(store, folder, operation)]);
  return { problems, revlogs: [...top, ...found] };
}

function topRevlogs(store: string): StoreRevlog[] {
  return (['changelog', 'manifest'] as const)
    .map((name) => ({ role: name, name, path: join(store, `00${name}.i`), chunkPath: join(store, `00${name}.d`) }))
    .filter(({ path }) => existsSync(path));
}

function roleOf(name: string): { role: RevlogRole; name: string } {
  if (name.startsWith('meta/') && name.endsWith(treeEnd)) {
    return { role: 'tree', name: utf8(name.slice('meta/'.length, -treeEnd.length)) };
  }
  return { role: 'file', name: utf8(name.replace(/^data\//, '').replace(/\.i$/, '')) };
}

function* walk(store: string, folder: string, operation: Operation): Generator<StoreRevlog> {
  throwIfCancelled(operation);
  if (!existsSync(join(store, folder))) return;
  using entries = openFolder(join(store, folder));
  for (let entry = entries.read(); entry !== null; entry = entries.read()) {
    const inside = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(store, inside, operation);
    else if (entry.isFile() && entry.name.endsWith('.i')) {
      const path = join(store, inside);
      yield { ...roleOf(decodeStoreName(inside)), path, chunkPath: path.replace(/\.i$/, '.d') };
    }
  }
}

function openFolder(path: string): Disposable & { read: () => import('node:fs').Dirent | null } {
  const folder = opendirSync(path);
  return { read: () => folder.readSync(), [Symbol.dispose]: () => folder.closeSync() };
}

/** The reverse of the encoding for the disk, as far as there is one: not of hashed names. */
function decodeStoreName(name: string): string {
  if (name.startsWith('dh/')) return name;
  return name
    .replace(/~([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/_(.)/g, (_, letter: string) => (letter === '_' ? '_' : letter.toUpperCase()))
    .replace(/\.(hg|i|d)\.hg\//g, '.$1/');
}

/** Names of the store are bytes as Latin-1; people's are mostly UTF-8. */
function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
