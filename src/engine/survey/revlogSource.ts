import * as l10n from '@vscode/l10n';
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { destinationError, EngineError } from '../io/errors';
import { unattended } from '../io/operation';
import type { RevlogSource } from '../revlog/readChainColumns';
import { encodeStorePath } from '../store/pathEncoding';
import { locateRepository, type RepositoryFolders } from '../store/repositoryFolders';
import { listRevlogs, storeRevlog } from './storeRevlogs';

/** Which of a repository's revlogs is meant. */
export type RevlogChoice =
  | { role: 'changelog' | 'manifest' }
  /** `name`: the path of a tracked file, or the folder of a tree manifest, from the repository's root, with slashes. */
  | { role: 'file' | 'tree'; name: string };

/** A revlog to read, with the name that people know it by. */
export interface NamedSource extends RevlogSource {
  name: string;
}

/**
 * Finds one revlog of a repository.
 * @throws `destination` when it has none of that name
 */
export function revlogOf(repository: RepositoryFolders, choice: RevlogChoice): NamedSource {
  const { store, layout, requirements } = repository;
  const stored = storeName(choice);
  const onDisk = (name: string) => join(store, encodeStorePath(name, layout));
  const path = onDisk(`${stored}.i`);
  const name = 'name' in choice ? choice.name : choice.role;
  if (!existsSync(path)) {
    throw destinationError(l10n.t('The repository at {0} has no history of {1}.', repository.root, described(choice)), {
      subject: path,
      advice: l10n.t('Give the name from the root of the repository, as "hg files" prints it.'),
    });
  }
  return { name, path, chunkPath: onDisk(`${stored}.d`), isSparse: requirements.has('sparserevlog') };
}

/**
 * A revlog by its index alone, as when somebody opens that file. What its repository says of it is used, if it lies in
 * the store of one.
 */
export function revlogAt(indexPath: string): NamedSource {
  const path = resolve(indexPath);
  const repository = repositoryAround(path);
  if (repository === undefined) return { name: basename(path), path, isSparse: true };
  const isSparse = repository.requirements.has('sparserevlog');
  const inside = relative(repository.store, path).split(sep).join('/');
  const listing = listRevlogs(repository, unattended);
  const encoded = listing.isWalked
    ? listing.names
    : listing.names.map((name) => encodeStorePath(name, repository.layout));
  const at = encoded.indexOf(inside);
  if (at < 0) return { name: basename(path), path, isSparse };
  const { name, chunkPath } = storeRevlog(repository, listing, at);
  return { name, path, chunkPath, isSparse };
}

/** What an index is called, and the working copy of the repository that it lies in, without looking at others. */
export function nameOfIndex(indexPath: string): { name: string; repository?: string } {
  const path = resolve(indexPath);
  const repository = repositoryAround(path);
  if (repository === undefined) return { name: basename(path) };
  const inside = relative(repository.store, path).split(sep).join('/');
  const { name } = storeRevlog(repository, { names: [inside], isWalked: true }, 0);
  return { name, repository: repository.root };
}

/** The repository whose store the file is in. */
function repositoryAround(path: string): RepositoryFolders | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) !== '.hg') continue;
    try {
      return locateRepository(dirname(folder));
    } catch (error) {
      if (error instanceof EngineError) return undefined;
      throw error;
    }
  }
  return undefined;
}

function storeName(choice: RevlogChoice): string {
  if (!('name' in choice)) return `00${choice.role}`;
  const bytes = Buffer.from(choice.name, 'utf8').toString('latin1');
  return choice.role === 'file' ? `data/${bytes}` : `meta/${bytes.replace(/\/+$/, '')}/00manifest`;
}

function described(choice: RevlogChoice): string {
  if (choice.role === 'file') return l10n.t('a file "{0}"', choice.name);
  return choice.role === 'tree' ? l10n.t('a folder "{0}"', choice.name) : l10n.t('a {0}', choice.role);
}
