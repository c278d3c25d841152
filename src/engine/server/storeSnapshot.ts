import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileToStream, StreamToWrite } from '../bundle/streamWriter';
import { EngineError, lockHeldError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { acquireLock, storeLock, type Lock } from '../store/locks';
import { encodeStorePath } from '../store/pathEncoding';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { historyNames } from './historyNames';

/** Files of histories beside the many of `data/`, by kind, in the order in which Mercurial sends the kinds. */
const topLevelKinds = [
  /^00(?:changelog|manifest)(?:\.n|-[0-9a-f]+\.nd)$/,
  /^00(?:changelog|manifest)(?:-[0-9a-f]+)?\.d$/,
  /^00(?:changelog|manifest)\.i$/,
];
const filters = ['', '-visible', '-visible-hidden', '-served.hidden', '-served', '-immutable', '-base'];
/** What a new clone need not work out again, in the order in which Mercurial sends it. */
const cacheNames = [
  ...filters.map((filter) => `branch2${filter}`),
  ...['rbc-names-v1', 'rbc-revs-v1'],
  ...filters.map((filter) => `tags2${filter}`),
  'hgtagsfnodes1',
];
const namesBetweenLooks = 1000;

/** What a snapshot holds beside histories. */
export interface SnapshotScope {
  withCaches: boolean;
  withPhases: boolean;
}

/**
 * The files of a store and their sizes at one moment: histories only grow at their ends, so that the same bytes can be
 * read later. Hold it with `using`.
 */
export class StoreSnapshot implements Disposable, StreamToWrite {
  /** Of all files. */
  readonly bytes: number;
  /** Number of files. */
  readonly count: number;
  private readonly histories: HistoryFiles;
  private readonly others: readonly FileToStream[];

  private constructor(histories: HistoryFiles, others: FileToStream[]) {
    this.histories = histories;
    this.others = others;
    this.count = histories.names.length + others.length;
    this.bytes = histories.bytes + others.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Takes a snapshot under the store's lock, which is let go before anything is sent.
   *
   * @param scopeNow says what it shall hold; called while the lock is held, before anything else
   * @param patience milliseconds to wait for the lock
   * @throws `lockHeld`, `cancelled`, `corrupt` for a damaged fncache, what `scopeNow` throws
   */
  static async take(
    repository: RepositoryFolders,
    scopeNow: () => SnapshotScope,
    patience: number,
    operation: Operation,
  ): Promise<StoreSnapshot> {
    const lock = await lockStore(repository.store, patience, operation);
    const others: FileToStream[] = [];
    try {
      const scope = scopeNow();
      const histories = historyFiles(repository, operation);
      for (const file of otherFiles(repository, scope)) others.push(file);
      return new StoreSnapshot(histories, others);
    } catch (error) {
      closeFiles(others);
      throw error;
    } finally {
      lock?.release();
    }
  }

  *files(): Generator<FileToStream> {
    const { names, paths, sizes, inodes } = this.histories;
    for (let at = 0; at < names.length; at++) {
      yield { area: 'store', name: names[at], path: paths(names[at]), size: sizes[at], inode: inodes[at] };
    }
    yield* this.others;
  }

  [Symbol.dispose](): void {
    closeFiles(this.others);
  }
}

/** The many files of a store, half a million sometimes: without an object for each. */
interface HistoryFiles {
  names: string[];
  paths: (name: string) => string;
  sizes: Float64Array;
  inodes: Float64Array;
  bytes: number;
}

/** A disk that cannot be written to has nobody who writes to it. */
async function lockStore(store: string, patience: number, operation: Operation): Promise<Lock | undefined> {
  try {
    return await acquireLock(storeLock(store), patience, operation);
  } catch (error) {
    if (error instanceof EngineError && error.kind === 'lockHeld') {
      throw lockHeldError('The repository is being written to. Try again in a moment.', { subject: error.subject });
    }
    if (['EROFS', 'EACCES', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

function historyFiles(repository: RepositoryFolders, operation: Operation): HistoryFiles {
  const { store, layout } = repository;
  const wanted = historyNames(repository);
  const paths = (name: string) => join(store, encodeStorePath(name, layout));
  const sizes = new Float64Array(wanted.length);
  const inodes = new Float64Array(wanted.length);
  const names: string[] = [];
  let bytes = 0;
  for (const [at, name] of wanted.entries()) {
    if (at % namesBetweenLooks === 0) throwIfCancelled(operation);
    const stats = statSync(paths(name), { throwIfNoEntry: false });
    // A list may name what a strip took away.
    if (stats === undefined) continue;
    sizes[names.length] = stats.size;
    inodes[names.length] = stats.ino;
    bytes += stats.size;
    names.push(name);
  }
  return { names, paths, sizes, inodes, bytes };
}

function* otherFiles(repository: RepositoryFolders, scope: SnapshotScope): Generator<FileToStream> {
  const { store } = repository;
  const there = readdirSync(store).sort().reverse();
  for (const kind of topLevelKinds) {
    for (const name of there.filter((entry) => kind.test(entry))) {
      // A docket says how much of another file counts: both as they are now.
      const file = name.endsWith('.n') ? inMemory('store', name, store) : heldOpen('store', name, store);
      if (file !== undefined) yield file;
    }
  }
  const phases = scope.withPhases ? inMemory('store', 'phaseroots', store) : undefined;
  if (phases !== undefined) yield phases;
  if (!scope.withCaches) return;
  const caches = join(dirname(store), 'cache');
  for (const name of cacheNames) {
    const file =
      name === 'rbc-revs-v1' || name === 'hgtagsfnodes1'
        ? heldOpen('cache', name, caches)
        : inMemory('cache', name, caches);
    if (file !== undefined) yield file;
  }
}

function inMemory(area: 'store' | 'cache', name: string, folder: string): FileToStream | undefined {
  return ifThere(() => {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    return { area, name, path, size: bytes.length, bytes };
  });
}

function heldOpen(area: 'store' | 'cache', name: string, folder: string): FileToStream | undefined {
  return ifThere(() => {
    const path = join(folder, name);
    const file = openSync(path, 'r');
    return { area, name, path, size: fstatSync(file).size, file };
  });
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function closeFiles(files: readonly FileToStream[]): void {
  for (const { file } of files) if (file !== undefined) closeSync(file);
}
