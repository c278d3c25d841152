import { asDestinationError } from '../io/errors';
import type { Operation } from '../io/operation';
import { acquireLock, storeLock, workingCopyLock, type Lock } from './locks';
import type { RepositoryFolders } from './repositoryFolders';
import { recover } from './transaction';

/** How long to wait for a living holder of a lock. */
const patienceMilliseconds = 30_000;

/**
 * Runs what writes to a repository, under both of its locks. A change that was interrupted before is rolled back first,
 * and so is what `write` leaves unfinished, for it may have run in a thread that is gone.
 *
 * @throws `lockHeld` when somebody else keeps writing, `destination` when the store cannot be written to
 */
export async function writingTo<T>(
  repository: RepositoryFolders,
  operation: Operation,
  write: () => Promise<T>,
  patience = patienceMilliseconds,
): Promise<T> {
  const locks: Lock[] = [];
  try {
    locks.push(await acquireLock(workingCopyLock(repository.hg), patience, operation));
    locks.push(await acquireLock(storeLock(repository.store), patience, operation));
    if (recover(repository)) operation.log('warn', `An interrupted change of ${repository.root} was rolled back.`);
    try {
      return await write();
    } finally {
      recover(repository);
    }
  } catch (error) {
    throw asDestinationError(error, repository.root);
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}
