import * as l10n from '@vscode/l10n';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { asDestinationError, lockHeldError } from '../io/errors';
import type { WriteHooks } from '../revlog/revlogFiles';
import { AppendLog } from './appendLog';
import { formatFncache, readFncache } from './fncache';
import { formatBackups, parseBackups, storeFile, type Backup, type Place } from './journal';
import type { RepositoryFolders } from './repositoryFolders';

/** What a transaction is for: kept in `undo.desc`, where `hg rollback` reads it. */
export interface TransactionPurpose {
  /** `pull`, `unbundle`. */
  operation: string;
  /** Where from, without a password. */
  source?: string;
  /** Revisions in the changelog before. */
  revisions: number;
}

/** Copies of small files as they were, which `hg rollback` wants beside the journal. */
const keptInHg = ['dirstate', 'branch', 'bookmarks', 'desc'];

/**
 * A change of a repository that happens as a whole or not at all. What was there before is written down in the journal
 * that Mercurial uses, before anything changes: `hg recover`, or {@link recover} here, brings it back after a kill.
 *
 * `store/journal` holds, for each file that grows, its name, a NUL and its length, on a line; a length of 0 is a file that
 * was not there. `store/journal.backupfiles` lists what was copied away because it is replaced. Names are the store's own,
 * before they are encoded for the disk. The caller holds the store's lock, and the working copy's.
 *
 * Of the format: observed with `hg pull` of 6.3.2, stopped inside its transaction.
 */
export class Transaction implements Disposable {
  private readonly journal: AppendLog;
  private readonly backupList: AppendLog;
  private readonly lengths = new Map<string, number>();
  private readonly backups: Backup[] = [];
  private isOver = false;

  private constructor(
    private readonly repository: RepositoryFolders,
    purpose: TransactionPurpose,
  ) {
    const { store } = repository;
    forgetFinished(repository);
    this.keepCopies(purpose);
    this.backupList = new AppendLog(join(store, 'journal.backupfiles'), formatBackups([]));
    // The last one to be made: with it, the transaction is there for others to roll back.
    this.journal = new AppendLog(join(store, 'journal'), '');
  }

  /**
   * Begins a transaction.
   * @throws `lockHeld` when another one was left unfinished; `destination` when the store cannot be written to
   */
  static begin(repository: RepositoryFolders, purpose: TransactionPurpose): Transaction {
    if (hasUnfinished(repository)) {
      throw lockHeldError(l10n.t('An earlier change of {0} was interrupted.', repository.root), {
        subject: join(repository.store, 'journal'),
        advice: l10n.t('Run "hg recover", or pull again with Deltascope, which rolls it back first.'),
      });
    }
    try {
      return new Transaction(repository, purpose);
    } catch (error) {
      throw asDestinationError(error, repository.store);
    }
  }

  /** What a revlog's writer tells before it changes its files, for the revlog that the store calls `name` (`...i`). */
  hooksFor(name: string, indexPath: string): WriteHooks {
    const nameOf = (path: string) => (path === indexPath ? name : name.replace(/\.i$/, '.d'));
    return {
      willAppend: (path, length) => this.willAppend(nameOf(path), length),
      willReplace: (path) => this.willReplace({ area: 'store', name: nameOf(path) }),
    };
  }

  /** Writes down that a file of the store is about to grow from `length` bytes. */
  willAppend(name: string, length: number): void {
    if (this.lengths.has(name)) return;
    this.lengths.set(name, length);
    this.journal.append(`${name}\0${length}\n`);
  }

  /** Keeps a copy of a file, as it was when the transaction began, before another takes its place. */
  willReplace(place: Place): void {
    if (this.backups.some(({ area, name }) => area === place.area && name === place.name)) return;
    const path = this.pathOf(place);
    const length = place.area === 'store' ? this.lengths.get(place.name) : undefined;
    // A file that began in this transaction is in the journal already, to be removed.
    if (length === 0) return;
    const isThere = existsSync(path);
    const copy = isThere ? `journal.backup.${this.backups.length}` : '';
    const backup = { ...place, copy };
    if (isThere) {
      const target = join(this.folderOf(place), copy);
      copyFileSync(path, target);
      if (length !== undefined) truncateSync(target, length);
    }
    this.noteBackup(backup);
  }

  /** Names a file of the store that lives no longer than the transaction. */
  temporary(name: string): void {
    this.noteBackup({ area: 'store', name: '', copy: name });
  }

  /** Puts a file in the place of another, or where there was none; without `bytes`, takes it away. */
  replace(place: Place, bytes: Uint8Array | string | undefined): void {
    this.willReplace(place);
    const path = this.pathOf(place);
    if (bytes === undefined) rmSync(path, { force: true });
    else {
      const beside = `${path}.journal-new`;
      writeFileSync(beside, bytes, 'latin1');
      renameSync(beside, path);
    }
  }

  /** Lists files in `fncache` that were made. @param names bytes as Latin-1, before the encoding for the disk */
  addToFncache(names: readonly string[]): void {
    const listed = new Set(readFncache(this.repository.store));
    const size = listed.size;
    for (const name of names) listed.add(name);
    if (listed.size > size) this.replace({ area: 'store', name: 'fncache' }, formatFncache(listed));
  }

  /** Bytes by which the files that grew in it have grown so far. */
  grown(): number {
    let bytes = 0;
    for (const [name, length] of this.lengths) {
      const size = statSync(storeFile(this.repository, name), { throwIfNoEntry: false })?.size ?? length;
      bytes += Math.max(0, size - length);
    }
    return bytes;
  }

  /**
   * Ends the transaction: from the moment at which the journal has its other name, the change is there to stay. What
   * `hg rollback` needs to undo it is left, as Mercurial leaves it.
   */
  commit(): void {
    const { store, hg } = this.repository;
    this.closeLogs();
    try {
      renameSync(join(store, 'journal'), join(store, 'undo'));
    } catch (error) {
      throw asDestinationError(error, store);
    }
    this.isOver = true;
    this.leaveUndoFiles(store, hg);
  }

  /** Rolls back what was begun and not committed. */
  [Symbol.dispose](): void {
    if (this.isOver) return;
    this.isOver = true;
    this.closeLogs();
    recover(this.repository);
  }

  private leaveUndoFiles(store: string, hg: string): void {
    for (const name of keptInHg) renameIfThere(join(hg, `journal.${name}`), join(hg, `undo.${name}`));
    renameIfThere(join(store, 'journal.phaseroots'), join(store, 'undo.phaseroots'));
    removeOldBackups(this.repository, 'undo.backupfiles');
    const kept: Backup[] = [];
    for (const backup of this.backups) {
      const folder = this.folderOf(backup);
      if (backup.name === '') {
        rmSync(join(folder, backup.copy), { force: true });
        continue;
      }
      const copy = backup.copy.replace(/^journal\./, 'undo.');
      if (copy !== '') renameIfThere(join(folder, backup.copy), join(folder, copy));
      kept.push({ ...backup, copy });
    }
    writeFileSync(join(store, 'undo.backupfiles'), formatBackups(kept), 'latin1');
    rmSync(join(store, 'journal.backupfiles'), { force: true });
  }

  private keepCopies({ operation, source, revisions }: TransactionPurpose): void {
    const { hg, store } = this.repository;
    writeFileSync(join(hg, 'journal.dirstate'), readIfThere(join(hg, 'dirstate')));
    const branch = readIfThere(join(hg, 'branch'));
    writeFileSync(join(hg, 'journal.branch'), branch.length > 0 ? branch : 'default');
    writeFileSync(join(hg, 'journal.bookmarks'), readIfThere(join(hg, 'bookmarks')));
    const lines = [String(revisions), operation, ...(source === undefined ? [] : [source])];
    writeFileSync(join(hg, 'journal.desc'), `${lines.map((line) => line.replace(/[\r\n]/g, '')).join('\n')}\n`);
    writeFileSync(join(store, 'journal.phaseroots'), readIfThere(join(store, 'phaseroots')));
  }

  private noteBackup(backup: Backup): void {
    this.backups.push(backup);
    this.backupList.append(formatBackups([backup], ''));
  }

  private closeLogs(): void {
    this.journal.close();
    this.backupList.close();
  }

  private folderOf({ area }: Pick<Place, 'area'>): string {
    return area === 'store' ? this.repository.store : this.repository.hg;
  }

  private pathOf(place: Place): string {
    return place.area === 'store' ? storeFile(this.repository, place.name) : join(this.repository.hg, place.name);
  }
}

/** Whether a transaction was begun here and neither finished nor rolled back. */
export function hasUnfinished({ store }: Pick<RepositoryFolders, 'store'>): boolean {
  return existsSync(join(store, 'journal'));
}

/**
 * Rolls back a transaction that was interrupted, ours or Mercurial's, as `hg recover` does. The caller holds the locks.
 *
 * @returns whether there was one
 */
export function recover(repository: RepositoryFolders): boolean {
  if (!hasUnfinished(repository)) return false;
  const { store, hg } = repository;
  try {
    for (const line of readIfThere(join(store, 'journal')).toString('latin1').split('\n')) {
      const entry = /^([^\0]+)\0(\d+)$/.exec(line);
      // A line that was cut short was written before its file was touched.
      if (entry !== null) cutBack(storeFile(repository, entry[1]), Number(entry[2]));
    }
    for (const { area, name, copy } of readBackups(repository, 'journal.backupfiles')) {
      const folder = area === 'store' ? store : hg;
      if (name === '') rmSync(join(folder, copy), { force: true });
      else {
        const path = area === 'store' ? storeFile(repository, name) : join(hg, name);
        if (copy === '') rmSync(path, { force: true });
        else renameIfThere(area === 'store' ? storeFile(repository, copy) : join(folder, copy), path);
      }
    }
    rmSync(join(store, 'journal.backupfiles'), { force: true });
    rmSync(join(store, 'journal'));
    removeCopies(repository);
  } catch (error) {
    throw asDestinationError(error, store);
  }
  return true;
}

/** Removes what a transaction left that was killed after it had been committed. */
function forgetFinished(repository: RepositoryFolders): void {
  removeOldBackups(repository, 'journal.backupfiles');
  rmSync(join(repository.store, 'journal.backupfiles'), { force: true });
}

function removeOldBackups(repository: RepositoryFolders, list: string): void {
  for (const { area, copy } of readBackups(repository, list)) {
    if (copy === '') continue;
    rmSync(area === 'store' ? storeFile(repository, copy) : join(repository.hg, copy), { force: true });
  }
}

function readBackups({ store }: RepositoryFolders, list: string): Backup[] {
  return parseBackups(readIfThere(join(store, list)).toString('latin1'));
}

function removeCopies({ hg, store }: RepositoryFolders): void {
  for (const name of keptInHg) rmSync(join(hg, `journal.${name}`), { force: true });
  rmSync(join(store, 'journal.phaseroots'), { force: true });
}

function cutBack(path: string, length: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return;
  if (length === 0) rmSync(path);
  else if (size > length) truncateSync(path, length);
}

function renameIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
