import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What a command takes for a repository that is not named: the folder that it is called in. */
export const here = '.';

/** The folder of a repository as it was named; where it was not, the nearest one around the folder of the call. */
export function repositoryNamed(folder: string): string {
  if (folder !== here) return folder;
  for (let around = resolve(folder); ; around = dirname(around)) {
    if (existsSync(join(around, '.hg'))) return around;
    if (around === dirname(around)) return folder;
  }
}

/** The same, as an absolute path. */
export function repositoryRoot(folder: string): string {
  return resolve(repositoryNamed(folder));
}
