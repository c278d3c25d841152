import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryFolders } from '../store/repositoryFolders';

/** Where a repository names bundles for those who clone it. @see `hg help -e clonebundles` */
export const cloneBundlesFile = ({ hg }: RepositoryFolders) => join(hg, 'clonebundles.manifest');

export function namesCloneBundles(repository: RepositoryFolders): boolean {
  return existsSync(cloneBundlesFile(repository));
}

/** What it says, bytes as Latin-1; nothing when there is none. */
export function readCloneBundles(repository: RepositoryFolders): string {
  return namesCloneBundles(repository) ? readFileSync(cloneBundlesFile(repository), 'latin1') : '';
}
