import { existsSync, linkSync, copyFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asDestinationError } from '../io/errors';

/** The files of a revlog that wait to take another's place. */
export interface StagedFiles {
  index: string;
  chunks: string;
  /** The same revlog in one file; only where the chunks have a file of their own. */
  inline: string;
}

/** A file as it was seen, to tell whether somebody has changed it. */
export interface FileMark {
  size: number;
  inode: string;
}

/** A revlog of the store that is to be replaced, in the order of the plan. */
export interface Replacement {
  number: number;
  /** Paths in the store. */
  index: string;
  chunks: string;
  isInline: boolean;
  /** The index that is there now, the one that takes its place, and the one in between. */
  old: FileMark;
  new: FileMark;
  inline?: FileMark;
}

export function stagedFiles(folder: string, number: number): StagedFiles {
  const base = join(folder, String(number).padStart(7, '0'));
  return { index: `${base}.i`, chunks: `${base}.d`, inline: `${base}.inline` };
}

/** What tells a file from another one, and from itself before something was added. */
export function markOf(path: string): FileMark | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : { size: Number(stat.size), inode: String(stat.ino) };
}

/** Whether the file is the one that was seen, and nothing was added to it. */
export function isMarked(path: string, mark: FileMark | undefined): boolean {
  const now = markOf(path);
  return now !== undefined && now.size === mark?.size && now.inode === mark.inode;
}

/**
 * Puts a revlog in another's place so that, at every moment, whoever opens it reads one or the other: an inline revlog in
 * one step; one with a chunks' file first with its chunks in the index, then its chunks' file, which nobody reads yet, then
 * the index that names it. Goes on from wherever it was broken off. Where somebody wrote to the revlog since, it is left as
 * it is.
 *
 * @param keep the folder for the old files; undefined when they are not kept
 * @returns whether the new revlog is in place
 * @throws `destination` when the file system refuses
 */
export function replaceRevlog(replacement: Replacement, store: string, staging: string, keep?: string): boolean {
  const staged = stagedFiles(staging, replacement.number);
  const target = { index: join(store, replacement.index), chunks: join(store, replacement.chunks) };
  try {
    if (isMarked(target.index, replacement.new)) return true;
    if (isMarked(target.index, replacement.old)) {
      if (keep !== undefined) keepOld(target, stagedFiles(keep, replacement.number));
      renameSync(replacement.isInline ? staged.index : staged.inline, target.index);
      if (replacement.isInline) return true;
    }
    if (!isMarked(target.index, replacement.inline)) return false;
    if (existsSync(staged.chunks)) renameSync(staged.chunks, target.chunks);
    renameSync(staged.index, target.index);
    return true;
  } catch (error) {
    throw asDestinationError(error, target.index);
  }
}

function keepOld(target: { index: string; chunks: string }, kept: StagedFiles): void {
  keepFile(target.index, kept.index);
  if (existsSync(target.chunks)) keepFile(target.chunks, kept.chunks);
}

/** A link costs nothing, and what takes the file's place does not change it. */
function keepFile(path: string, kept: string): void {
  rmSync(kept, { force: true });
  try {
    linkSync(path, kept);
  } catch {
    copyFileSync(path, kept);
  }
}
