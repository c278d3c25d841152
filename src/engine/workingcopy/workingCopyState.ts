import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBookmarks } from '../store/bookmarks';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { nullNode, type Node } from '../revlog/node';
import { defaultBranch } from './changeset';
import { parseDirstate, type Dirstate } from './dirstate';

/** Where a working copy stands. */
export interface WorkingCopyState {
  dirstate: Dirstate;
  /** UTF-8 bytes as Latin-1. */
  branch: string;
  /** The bookmark that moves along, and where it is. */
  activeBookmark?: { name: string; node: Node };
}

/** What Mercurial leaves in `.hg` while something waits to be finished. */
const unfinished = [
  ...['merge/state', 'merge/state2', 'graftstate', 'rebasestate', 'histedit-state', 'shelvedstate', 'updatestate'],
  ...['transplant/journal', 'evolvestate', 'topicstate', 'bisect.state'],
];

/** Reads where a working copy stands. @throws as `parseDirstate` and `readBookmarks` */
export function readWorkingCopyState(repository: RepositoryFolders): WorkingCopyState {
  const { hg } = repository;
  const dirstate = parseDirstate(readIfThere(join(hg, 'dirstate')), join(hg, 'dirstate'));
  const branch = readIfThere(join(hg, 'branch')).toString('latin1').trim();
  const name = readIfThere(join(hg, 'bookmarks.current')).toString('latin1').trim();
  const node = name === '' ? undefined : readBookmarks(repository).get(name);
  return {
    dirstate,
    branch: branch === '' ? defaultBranch : branch,
    activeBookmark: node === undefined ? undefined : { name, node },
  };
}

/** Whether a merge, or a command that was broken off, waits to be finished. */
export function isUnfinished({ hg }: RepositoryFolders, { dirstate }: WorkingCopyState): boolean {
  return dirstate.parents[1] !== nullNode || unfinished.some((name) => existsSync(join(hg, name)));
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
