import { join } from 'node:path';
import { encodeStorePath } from './pathEncoding';
import type { RepositoryFolders } from './repositoryFolders';

/** A file that a transaction replaces: in the store, by the store's own name, or in `.hg`. */
export interface Place {
  area: 'store' | 'hg';
  name: string;
}

/** What became of a file that a transaction replaces. */
export interface Backup extends Place {
  /** Its copy beside it, empty when it was not there. With an empty `name`, a file to be removed in either case. */
  copy: string;
}

const head = '2\n';

/**
 * The list of backups: `2`, then lines of location (`plain` for `.hg`, empty for the store), name, copy and 0, with NUL
 * between them.
 */
export function formatBackups(backups: readonly Backup[], begin = head): string {
  const lines = backups.map(({ area, name, copy }) => `${area === 'hg' ? 'plain' : ''}\0${name}\0${copy}\x000\n`);
  return begin + lines.join('');
}

/** The backups of a list; none when it is of another version. A line that was cut short stands for nothing. */
export function parseBackups(text: string): Backup[] {
  if (!text.startsWith(head)) return [];
  const lines = text.slice(head.length, text.lastIndexOf('\n') + 1).split('\n');
  return lines.flatMap((line): Backup[] => {
    const fields = line.split('\0');
    if (fields.length !== 4) return [];
    const [location, name, copy] = fields;
    if (name === '' && copy === '') return [];
    // Anything else than the two is a cache of some place that can be made again.
    if (location !== '' && location !== 'plain') return [];
    return [{ area: location === 'plain' ? 'hg' : 'store', name, copy }];
  });
}

/** Where a file of the store is on disk, by the store's own name for it. */
export function storeFile({ store, layout }: RepositoryFolders, name: string): string {
  return join(store, encodeStorePath(name, layout));
}
