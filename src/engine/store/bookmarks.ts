import * as l10n from '@vscode/l10n';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { corruptError } from '../io/errors';
import { isNode, type Node } from '../revlog/node';
import type { RepositoryFolders } from './repositoryFolders';
import type { Requirements } from './requirements';

/** Bookmarks by name. Names are UTF-8 bytes as Latin-1: what the wire and the file hold. */
export type Bookmarks = ReadonlyMap<string, Node>;

/** Parses a `bookmarks` file: lines of node, space, name. @throws `corrupt` for any other line. */
export function parseBookmarks(text: string, subject = 'bookmarks'): Map<string, Node> {
  const bookmarks = new Map<string, Node>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const node = line.slice(0, 40);
    if (!isNode(node) || line[40] !== ' ' || line.length === 41) {
      throw corruptError(
        l10n.t('{0} has a line that is no bookmark: {1}.', subject, JSON.stringify(line.slice(0, 80))),
        {
          subject,
        },
      );
    }
    bookmarks.set(line.slice(41), node);
  }
  return bookmarks;
}

/** The content of a `bookmarks` file, sorted by name as Mercurial sorts it: by byte. */
export function formatBookmarks(bookmarks: Bookmarks): string {
  return [...bookmarks.keys()]
    .sort()
    .map((name) => `${String(bookmarks.get(name))} ${name}\n`)
    .join('');
}

/** The bookmarks of a `listkeys` answer for the namespace `bookmarks`. @throws `corrupt` for a value that is no node. */
export function bookmarksOfListkeys(keys: ReadonlyMap<string, string>): Map<string, Node> {
  const bookmarks = new Map<string, Node>();
  for (const [name, node] of keys) {
    if (!isNode(node) || !isBookmarkName(name)) {
      throw corruptError(
        l10n.t("The server's bookmark {0} is at {1}, which is no node.", JSON.stringify(name), JSON.stringify(node)),
        {
          subject: 'bookmarks',
        },
      );
    }
    bookmarks.set(name, node);
  }
  return bookmarks;
}

/** A name that the file can hold: a line end in it would make it two bookmarks. */
export function isBookmarkName(name: string): boolean {
  return name !== '' && !/[\0\n\r]/.test(name);
}

/** Reads the bookmarks of a repository; none when it has no such file. */
export function readBookmarks(repository: RepositoryFolders): Map<string, Node> {
  const path = bookmarksPath(repository.hg, repository.store, repository.requirements);
  try {
    return parseBookmarks(readFileSync(path, 'latin1'), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
}

/** Writes the bookmarks of a repository; without any there is no file, as Mercurial leaves it. */
export function writeBookmarks(hgFolder: string, requirements: Requirements, bookmarks: Bookmarks): void {
  const path = bookmarksPath(hgFolder, join(hgFolder, 'store'), requirements);
  if (bookmarks.size === 0) rmSync(path, { force: true });
  else writeFileSync(path, formatBookmarks(bookmarks), 'latin1');
}

function bookmarksPath(hgFolder: string, storeFolder: string, requirements: Requirements): string {
  return join(requirements.has('bookmarksinstore') ? storeFolder : hgFolder, 'bookmarks');
}
