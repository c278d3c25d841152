import { locateRepository } from '../store/repositoryFolders';
import { readPaths } from '../store/userHgrc';

/** A place that an `hgrc` has a name for. */
export interface NamedPath {
  name: string;
  /** It may hold a password. */
  address: string;
}

/**
 * The places that the section `[paths]` of the `hgrc` of a repository, and of the user, names to pull from: `default` first, the others as they
 * are written. Items such as `default:pushrev` are about a path, and `default-push` is for pushing alone.
 *
 * @throws as `locateRepository` and `readPaths`
 */
export function namedPaths(root: string): NamedPath[] {
  const paths = readPaths(locateRepository(root).hg);
  const named = [...paths]
    .filter(([name, address]) => !name.includes(':') && name !== 'default-push' && address !== '')
    .map(([name, address]) => ({ name, address }));
  return [...named.filter(({ name }) => name === 'default'), ...named.filter(({ name }) => name !== 'default')];
}
