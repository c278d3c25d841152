import * as l10n from '@vscode/l10n';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { asDestinationError, destinationError, type EngineError } from '../io/errors';
import { isAlive } from '../io/isAlive';
import { machineMark } from './locks';

const leftOver = /\.deltascope-([0-9a-f]+)-(\d+)-[0-9a-z]+$/;

/**
 * A folder beside a destination in which something is built, to be renamed into place when it is whole: the destination
 * is complete or is not there.
 *
 * A destination that is a mount point, or whose parent may not be written to, must exist and be empty; then the folder is
 * made inside, and what was built is moved up piece by piece, `.hg` last: without it, it is no repository.
 */
export class Staging {
  private finished = false;
  private readonly movedUp: string[] = [];

  private constructor(
    /** Where to build. */
    readonly path: string,
    readonly destination: string,
    private readonly inside: boolean,
    /** Folders above the destination that had to be made, outermost first. */
    private readonly madeParents: readonly string[],
  ) {}

  /**
   * Makes a folder `.NAME.deltascope-MACHINE-PID-UNIQUE` beside the destination, and the folders above it that are
   * missing. What killed processes of this machine left of that kind is removed first.
   *
   * @throws `destination` when the destination is a file or a folder with something in it, or cannot be written to
   */
  static async beside(destination: string): Promise<Staging> {
    const madeParents: string[] = [];
    try {
      const target = followLink(resolve(destination));
      const parent = dirname(target);
      makeParents(parent, madeParents);
      const exists = checkDestination(target, []);
      await removeLeftOvers(parent);
      const path = join(parent, `.${basename(target).slice(0, 50)}${mark()}`);
      if (exists && (isMountPoint(target) || !tryMakeFolder(path))) return await Staging.inside(target);
      if (!exists) mkdirSync(path);
      return new Staging(path, target, false, madeParents);
    } catch (error) {
      removeEmptied(madeParents);
      throw asDestinationError(error, destination);
    }
  }

  /** The same inside an empty folder that cannot be replaced as a whole. @throws `destination` as {@link beside} does */
  static async inside(destination: string): Promise<Staging> {
    try {
      await removeLeftOvers(destination);
      checkDestination(destination, []);
      const path = join(destination, mark());
      mkdirSync(path);
      return new Staging(path, destination, true, []);
    } catch (error) {
      throw asDestinationError(error, destination);
    }
  }

  /**
   * Renames the folder to the destination. An empty folder there is replaced.
   *
   * @param lasting files, as paths inside the folder, whose content must be on the disk before the name is: after a power
   * cut a repository with an empty `requires` would look whole. Flushing every file of a store would cost more than the
   * whole clone, so the bulk is left to the system: what a power cut takes of it `hg verify` finds, and a new clone mends.
   * @throws `destination` when something has come into the destination meanwhile
   */
  commit(lasting: readonly string[] = []): void {
    try {
      for (const name of lasting) flush(join(this.path, name));
      const exists = checkDestination(this.destination, this.inside ? [basename(this.path)] : []);
      if (this.inside) this.moveUp();
      else {
        // Windows does not rename over a folder, not even an empty one.
        if (exists && process.platform === 'win32') rmdirSync(this.destination);
        renameSync(this.path, this.destination);
      }
      this.finished = true;
    } catch (error) {
      throw asDestinationError(error, this.destination);
    }
    flushFolder(dirname(this.destination));
  }

  /** Removes everything that was built, and the folders that were made for it. Safe to call twice, and after `commit`. */
  async discard(): Promise<void> {
    if (this.finished) return;
    this.finished = true;
    for (const path of [this.path, ...this.movedUp]) await removeTree(path);
    removeEmptied(this.madeParents);
  }

  private moveUp(): void {
    const names = readdirSync(this.path).sort((a, b) => Number(a === '.hg') - Number(b === '.hg'));
    for (const name of names) {
      const target = join(this.destination, name);
      renameSync(join(this.path, name), target);
      this.movedUp.push(target);
    }
    rmdirSync(this.path);
  }
}

function followLink(destination: string): string {
  if (lstatSync(destination, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return destination;
  if (statSync(destination, { throwIfNoEntry: false }) === undefined)
    throw taken(destination, l10n.t('is a link that leads nowhere'));
  return realpathSync(destination);
}

/** Whether the destination is there, as an empty folder. `ours` may be in it. */
function checkDestination(destination: string, ours: readonly string[]): boolean {
  const entry = statSync(destination, { throwIfNoEntry: false });
  if (entry === undefined) return false;
  if (!entry.isDirectory()) throw taken(destination, 'is a file');
  if (readdirSync(destination).some((name) => !ours.includes(name))) throw taken(destination, l10n.t('is not empty'));
  return true;
}

function taken(destination: string, why: string): EngineError {
  return destinationError(l10n.t('The destination {0} {1}.', destination, why), {
    subject: destination,
    advice: l10n.t('Choose another name, or empty it first.'),
  });
}

/** A folder on another file system than its parent cannot be replaced by a rename. */
function isMountPoint(folder: string): boolean {
  return statSync(folder).dev !== statSync(dirname(folder)).dev;
}

function tryMakeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

function makeParents(folder: string, made: string[]): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeParents(dirname(folder), made);
  mkdirSync(folder);
  made.push(folder);
}

/** Removes folders that were made for the clone, unless somebody has put something into them. */
function removeEmptied(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** What a killed process was building tells by its name which process that was. */
async function removeLeftOvers(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const [, machine, pid] = leftOver.exec(name) ?? [];
    if (machine !== machineMark() || isAlive(Number(pid))) continue;
    try {
      await removeTree(join(parent, name));
    } catch {
      // Somebody else's, and they may still remove it; no reason not to clone.
    }
  }
}

/** Piece by piece beside other work: a clone may have half a million files. */
async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

let made = 0;

function mark(): string {
  made++;
  return `.deltascope-${machineMark()}-${process.pid}-${Date.now().toString(36)}${made.toString(36)}`;
}

function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the rename itself last; Windows and some network file systems do not let folders be flushed. */
function flushFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // The clone is in place either way.
  }
}
