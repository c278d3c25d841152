import * as l10n from '@vscode/l10n';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { corruptError, destinationError } from '../io/errors';
import type { StoreLayout } from './pathEncoding';
import { readRequirements, storeLayout, type Requirements } from './requirements';

/** Where the parts of a repository are, and what it demands. */
export interface RepositoryFolders {
  /** The working copy. */
  root: string;
  /** Its `.hg`. */
  hg: string;
  /** The store: its own, or the one of the repository that it shares with. */
  store: string;
  requirements: Requirements;
  layout: StoreLayout;
}

/**
 * Finds the parts of the repository whose working copy is `root`. Knows shares (`.hg/sharedpath`).
 *
 * @throws `destination` when there is no repository, `corrupt` when a share points nowhere, `unsupported` for layouts
 * without a store; requirements are read, not checked: that depends on what they are read for
 */
export function locateRepository(root: string): RepositoryFolders {
  const hg = join(root, '.hg');
  if (!isFolder(hg))
    throw destinationError(l10n.t('There is no Mercurial repository at {0}.', root), { subject: root });
  const own = readRequirements(hg, sharedStore(hg));
  return { root, hg, store: sharedStore(hg), requirements: own, layout: storeLayout(own) };
}

/** The store that `.hg/sharedpath` leads to; without that file, the one beside it. */
function sharedStore(hg: string): string {
  const pointer = readIfThere(join(hg, 'sharedpath'));
  if (pointer === undefined) return join(hg, 'store');
  // A relative path (`relshared`) starts at the share's own `.hg`; an absolute one is its own answer.
  const source = resolve(hg, pointer.replace(/\n+$/, ''));
  if (!isFolder(source)) {
    throw corruptError(l10n.t('The repository shares its store with {0}, which is not there.', source), {
      subject: join(hg, 'sharedpath'),
      advice: l10n.t('Move the other repository back, or share again.'),
    });
  }
  return join(source, 'store');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
