import { join } from 'node:path';
import { Revlog } from '../revlog/revlog';
import { encodeStorePath } from './pathEncoding';
import type { RepositoryFolders } from './repositoryFolders';

/**
 * Opens a revlog of a repository by the name that the store has for it: `00changelog.i`, `data/PATH.i` (bytes as Latin-1).
 * The chunks' file has a name of its own, which for hashed names differs in more than its end.
 *
 * @throws as `Revlog.open` does; the file system's `ENOENT` when there is no such revlog
 */
export function openRevlog(repository: RepositoryFolders, name: string): Revlog {
  const onDisk = (file: string): string => join(repository.store, encodeStorePath(file, repository.layout));
  return Revlog.open(onDisk(name), { chunkPath: onDisk(name.replace(/\.i$/, '.d')) });
}

/** The same, with undefined for a revlog that is not there: of a file that was never tracked, of an empty repository. */
export function openRevlogIfThere(repository: RepositoryFolders, name: string): Revlog | undefined {
  try {
    return openRevlog(repository, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
