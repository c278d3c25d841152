import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFncache } from '../store/fncache';
import { decodeStorePath } from '../store/pathEncoding';
import type { RepositoryFolders } from '../store/repositoryFolders';

/**
 * The files of all histories but changelog and manifest, as the store names them, sorted by byte: indexes, and files of
 * chunks beside them. Bytes as Latin-1.
 *
 * @throws `corrupt` for a damaged fncache
 */
export function historyNames({ store, layout }: RepositoryFolders): string[] {
  const listed = layout === 'store' ? walkHistories(join(store, 'data'), 'data/') : readFncache(store);
  return [...new Set(listed)].filter((name) => /^(?:data|meta)\/.*\.[id]$/s.test(name)).sort();
}

/** Names of histories in a store that has no list of them. */
function walkHistories(folder: string, prefix: string): string[] {
  const names: string[] = [];
  if (!existsSync(folder)) return names;
  for (const entry of readdirSync(Buffer.from(folder), { withFileTypes: true, encoding: 'buffer' })) {
    const name = entry.name.toString('latin1');
    if (entry.isDirectory()) names.push(...walkHistories(join(folder, name), `${prefix}${name}/`));
    else names.push(decodeStorePath(prefix + name, 'store') ?? prefix + name);
  }
  return names;
}
