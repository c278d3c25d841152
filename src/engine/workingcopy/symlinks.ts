import { lstatSync, symlinkSync, writeFileSync } from 'node:fs';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { explain, FolderMaker } from './checkoutBatch';
import { diskPath } from './diskPath';
import { readFileRevision } from './filelog';
import type { Manifest } from './manifest';

/** Mode, size and mtime (whole seconds) of a link. */
export type CheckedOutLink = [mode: number, size: number, mtime: number];

/**
 * Makes the symbolic links of a manifest, and gives what the dirstate keeps of each, by its place in the manifest. Where
 * there are no links (Windows), and for texts that cannot be the target of one, a file with the target in it is written.
 *
 * All folders are made before the first link, so that none is made through one.
 */
export function writeSymlinks(repository: RepositoryFolders, manifest: Manifest): Map<number, CheckedOutLink> {
  const places: number[] = [];
  const folders = new FolderMaker(repository.root);
  for (let index = 0; index < manifest.length; index++) {
    if (manifest.kind(index) !== 'symlink') continue;
    places.push(index);
    attempt(repository, manifest.path(index), (path) => folders.make(path));
  }
  const links = new Map<number, CheckedOutLink>();
  for (const index of places) {
    attempt(repository, manifest.path(index), (path) => {
      writeLink(diskPath(repository.root, path), readFileRevision(repository, path, manifest.node(index)));
      const { mode, size, mtimeMs } = lstatSync(diskPath(repository.root, path));
      links.set(index, [mode, size, Math.floor(mtimeMs / 1000)]);
    });
  }
  return links;
}

/** Makes a link, or a file with the target in it where there can be no link. */
export function writeLink(path: string | Buffer, target: Uint8Array): void {
  if (process.platform === 'win32' || target.length === 0 || target.includes(0)) {
    writeFileSync(path, target, { flag: 'wx' });
    return;
  }
  symlinkSync(Buffer.from(target), path);
}

function attempt(repository: RepositoryFolders, path: string, work: (path: string) => void): void {
  try {
    work(path);
  } catch (error) {
    throw explain(error, repository.root, path);
  }
}
