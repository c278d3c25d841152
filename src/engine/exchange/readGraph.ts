import type { TaskContext } from '../io/taskServer';
import { openRevlogIfThere } from '../store/openRevlog';
import { locateRepository } from '../store/repositoryFolders';
import { storeSize } from '../store/storeSize';
import { readGraphColumns, type GraphColumns } from './changelogGraph';

/** Worker task: reads who descends from whom in a repository's changelog. */
export function readGraph({ root }: { root: string }, context: TaskContext): GraphColumns {
  using changelog = openRevlogIfThere(locateRepository(root), '00changelog.i');
  const columns = readGraphColumns(changelog);
  context.transfer(columns.parents.buffer, columns.nodes.buffer);
  return columns;
}

/** Worker task: counts the files of a repository's store, and their bytes. */
export function measureStore({ root }: { root: string }): { files: number; bytes: number } {
  return storeSize(locateRepository(root).store);
}
