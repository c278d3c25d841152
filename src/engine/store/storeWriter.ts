import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asDestinationError, protocolError } from '../io/errors';
import { FncacheWriter } from './fncache';
import { decodeFolders, encodeStorePath } from './pathEncoding';
import { checkCacheName, checkStoreName } from './storeNames';

/** Which part of a repository a received file belongs to. */
export type StoreArea = 'store' | 'cache';

/** What {@link StoreWriter} is told. */
export interface StoreWriterOptions {
  /** Legacy streams name their files in the form of `encodeFolders`, those of version 2 in the plain one. */
  hasEncodedFolders?: boolean;
}

/**
 * Writes the files of a stream into a new repository: checks their names, gives them the names that the store has on
 * disk, and lists them in fncache. A name that comes twice is refused.
 *
 * A file costs three calls to the system, and one more when it is the first in its folder.
 */
export class StoreWriter implements Disposable {
  private readonly hgFolder: string;
  private readonly fncache: FncacheWriter;
  private readonly folders = new Set<string>();
  private current = -1;
  private currentPath = '';

  /** @param root of a repository that `createRepository` made, whose layout is `dotencode` */
  constructor(
    root: string,
    private readonly options: StoreWriterOptions = {},
  ) {
    this.hgFolder = join(root, '.hg');
    this.fncache = new FncacheWriter(join(this.hgFolder, 'store'));
  }

  /**
   * Writes a file whose bytes are all there.
   *
   * @param name bytes as Latin-1
   * @throws `protocol` for names that leave the store or come twice, `destination` when the disk does not take it
   */
  file(area: StoreArea, name: string, bytes: Uint8Array): void {
    this.begin(area, name);
    try {
      this.write(bytes);
    } finally {
      this.close();
    }
  }

  /** Begins a file whose bytes come in pieces. @throws as {@link file} */
  begin(area: StoreArea, name: string): void {
    const path = area === 'store' ? this.placeInStore(name) : placeInCache(name);
    this.currentPath = join(this.hgFolder, path);
    try {
      this.current = openSync(this.currentPath, 'wx');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw twice(name);
      throw asDestinationError(error, this.currentPath);
    }
  }

  /** Adds bytes to the file that was begun. @throws `destination` when the disk does not take them */
  write(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.current, bytes, at, bytes.length - at);
    } catch (error) {
      throw asDestinationError(error, this.currentPath);
    }
  }

  /** Ends the file that was begun. */
  close(): void {
    if (this.current >= 0) closeSync(this.current);
    this.current = -1;
  }

  /** Writes what is left of fncache. Without it, the store is not whole. @throws `destination` */
  finish(): void {
    try {
      this.fncache.close();
    } catch (error) {
      throw asDestinationError(error, this.hgFolder);
    }
  }

  /** Closes whatever is open, after an error: the files stay as they are. */
  [Symbol.dispose](): void {
    this.close();
    this.fncache[Symbol.dispose]();
  }

  private placeInStore(given: string): string {
    const name = this.options.hasEncodedFolders === true ? decodeFolders(given) : given;
    checkStoreName(name);
    const path = `store/${encodeStorePath(name)}`;
    this.makeFolder(path);
    this.fncache.add(name);
    return path;
  }

  private makeFolder(path: string): void {
    const folder = dirname(path);
    if (folder === 'store' || this.folders.has(folder)) return;
    try {
      mkdirSync(join(this.hgFolder, folder), { recursive: true });
    } catch (error) {
      throw asDestinationError(error, join(this.hgFolder, folder));
    }
    this.folders.add(folder);
  }
}

function placeInCache(name: string): string {
  checkCacheName(name);
  return `cache/${name}`;
}

function twice(name: string): Error {
  return protocolError(`The other side sends the file ${JSON.stringify(name.slice(0, 200))} twice.`, { subject: name });
}
