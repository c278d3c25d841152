import type { RepositoryFolders } from '../store/repositoryFolders';
import { readFileRevision } from './filelog';
import type { Manifest } from './manifest';

/** The folders that a changeset fills from other repositories, from its `.hgsubstate`: lines of revision, space, path. */
export function listSubrepositories(repository: RepositoryFolders, manifest: Manifest): string[] {
  const index = manifest.find('.hgsubstate');
  if (index < 0 || manifest.find('.hgsub') < 0) return [];
  return Buffer.from(readFileRevision(repository, '.hgsubstate', manifest.node(index)))
    .toString('latin1')
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 1).trim())
    .filter((path) => path !== '');
}
