import * as l10n from '@vscode/l10n';
import { statSync } from 'node:fs';
import { destinationError } from '../io/errors';
import type { Hgrc } from '../store/hgrc';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { readPaths, readUserSettings } from '../store/userHgrc';
import { parseLocation, type Location } from '../wire/location';
import { expandScheme } from './expandScheme';

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
 * The source that is meant: the path of that name in the `hgrc` of the repository or of the user, the path `default` where none is said, else
 * what was said itself.
 *
 * @throws `destination` when nothing was said and there is no `default`
 */
export function findSource({ root, hg }: RepositoryFolders, wanted?: string): Source {
  const paths = readPaths(hg);
  const address = wanted === undefined ? paths.get('default') : (paths.get(wanted) ?? wanted);
  if (address === undefined || address === '') {
    throw destinationError(l10n.t('The repository at {0} does not say where it comes from.', root), {
      subject: root,
      advice: l10n.t('Name an address to pull from.'),
    });
  }
  const named = wanted === undefined ? 'default' : paths.has(wanted) ? wanted : undefined;
  const name = named ?? [...paths].find(([key, path]) => !key.includes(':') && sameAddress(path, address))?.[0];
  return { address, name: name ?? nameless };
}

/**
 * Where an address leads, shortcuts of the user's own included.
 * @param settings by default those of the user alone
 * @throws as `parseLocation` and `readSettings`
 */
export function locateSource(address: string, settings: Hgrc = readUserSettings()): Location {
  return parseLocation(expandScheme(address, settings));
}

function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
}

/** Whether a place is a file of this machine, which can only be a bundle. */
export function isBundleFile({ scheme, address }: Location): boolean {
  return scheme === 'file' && statSync(address, { throwIfNoEntry: false })?.isFile() === true;
}
