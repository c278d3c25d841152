import { join } from 'node:path';
import { readHgrc } from '../store/hgrc';
import { locateRepository } from '../store/repositoryFolders';

/** A place that a repository's `hgrc` has a name for. */
export interface NamedPath {
  name: string;
  /** As it is written there; it may hold a password. */
  address: string;
}

/**
 * The places that the section `[paths]` of a repository's `hgrc` names to pull from: `default` first, the others as they
 * are written. Items such as `default:pushrev` are about a path, and `default-push` is for pushing alone.
 *
 * @throws as `locateRepository` and `readHgrc`
 */
export function namedPaths(root: string): NamedPath[] {
  const paths = readHgrc(join(locateRepository(root).hg, 'hgrc')).get('paths') ?? new Map<string, string>();
  const named = [...paths]
    .filter(([name, address]) => !name.includes(':') && name !== 'default-push' && address !== '')
    .map(([name, address]) => ({ name, address }));
  return [...named.filter(({ name }) => name === 'default'), ...named.filter(({ name }) => name !== 'default')];
}
