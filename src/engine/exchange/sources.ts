import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { destinationError } from '../io/errors';
import { readHgrc } from '../store/hgrc';
import type { RepositoryFolders } from '../store/repositoryFolders';
import type { Location } from '../wire/location';

/** Where to pull from. */
export interface Source {
  /** As it is written: an address or a path. */
  address: string;
  /** What diverged bookmarks of it are kept under: the name of its path in `hgrc`, else `1`. */
  name: string;
}

/** What Mercurial calls a source that has no name. */
const nameless = '1';

/**
 * The source that is meant: the path of that name in the repository's `hgrc`, the path `default` where none is said, else
 * what was said itself.
 *
 * @throws `destination` when nothing was said and there is no `default`
 */
export function findSource({ root, hg }: RepositoryFolders, wanted?: string): Source {
  const paths = readHgrc(join(hg, 'hgrc')).get('paths') ?? new Map<string, string>();
  const address = wanted === undefined ? paths.get('default') : (paths.get(wanted) ?? wanted);
  if (address === undefined || address === '') {
    throw destinationError(`The repository at ${root} does not say where it comes from.`, {
      subject: root,
      advice: 'Name an address to pull from.',
    });
  }
  const named = wanted === undefined ? 'default' : paths.has(wanted) ? wanted : undefined;
  const name = named ?? [...paths].find(([key, path]) => !key.includes(':') && sameAddress(path, address))?.[0];
  const isFromHgrc = named !== undefined && !isAbsolute(address) && !/^[a-z][a-z+.-]*:/i.test(address);
  return { address: isFromHgrc ? join(root, address) : address, name: name ?? nameless };
}

function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
}

/** Whether a place is a file of this machine, which can only be a bundle. */
export function isBundleFile({ scheme, address }: Location): boolean {
  return scheme === 'file' && statSync(address, { throwIfNoEntry: false })?.isFile() === true;
}
