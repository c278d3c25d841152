import * as l10n from '@vscode/l10n';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { asDestinationError, destinationError } from '../io/errors';
import { isAlive } from '../io/isAlive';

/**
 * New objects gather in a folder of their own inside the object folder and move to their places when the whole pack has
 * proved sound: a pack that is cut, damaged or refused leaves nothing behind. `git` keeps what a push brings in such
 * folders too (`git help receive-pack`, "Quarantine environment"), overlooks them when it looks for objects, and removes
 * those whose owner died (`git help prune`).
 */
const prefix = 'tmp_objdir-deltascope-';

/** Makes a quarantine in `objects`, and removes those that killed processes left there. @throws `destination`. */
export function openQuarantine(objects: string): string {
  removeAbandoned(objects);
  const path = join(objects, `${prefix}${hostWord()}-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(path);
  } catch (error) {
    throw asDestinationError(error, objects);
  }
  return path;
}

/** Removes a quarantine and all that is still in it. */
export function removeQuarantine(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Moves the objects whose names begin with the byte `first` from the quarantine to their places. A folder that the
 * repository does not have moves whole. An object that is there by now stays as it is.
 * @param fsync whether the folder's entries must be on the disk when this returns.
 */
export function releaseFanout(quarantine: string, objects: string, first: number, fsync: boolean): void {
  const word = first.toString(16).padStart(2, '0');
  const from = join(quarantine, word);
  const to = join(objects, word);
  if (!existsSync(from)) return;
  try {
    if (existsSync(to) || !moved(from, to)) {
      mkdirSync(to, { recursive: true });
      releaseEach(from, to);
    }
    if (fsync) fsyncFolder(to);
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw destinationError(l10n.t('{0} is in the way: it is not a folder.', to), { subject: to });
    throw asDestinationError(error, to);
  }
}

/** Makes the names in a folder reach the disk; a system that cannot open folders keeps them in order by itself. */
export function fsyncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function releaseEach(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    try {
      // A link, unlike a rename, never takes the place of a file.
      linkSync(source, target);
      unlinkSync(source);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') continue;
      // File systems without links; somebody who came in between brought the same bytes.
      if (!existsSync(target)) renameSync(source, target);
    }
  }
}

/** Moves a whole folder; false when somebody made the target in between, or the system does not move folders now. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error))) return false;
    throw error;
  }
}

function removeAbandoned(objects: string): void {
  const mine = `${prefix}${hostWord()}-`;
  let names: string[];
  try {
    names = readdirSync(objects);
  } catch (error) {
    throw asDestinationError(error, objects);
  }
  for (const name of names) {
    if (!name.startsWith(mine)) continue;
    const owner = Number(name.slice(mine.length).split('-')[0]);
    if (Number.isInteger(owner) && owner > 0 && !isAlive(owner)) removeQuarantine(join(objects, name));
  }
}

/** Process numbers mean something on their own machine only; a shared disk has several. */
function hostWord(): string {
  return (
    hostname()
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 32) || 'host'
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
