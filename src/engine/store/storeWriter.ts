import { closeSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asDestinationError } from '../io/errors';
import { writeAll } from '../io/writeAll';
import type { FileRelay } from './fileRelay';
import { FncacheWriter } from './fncache';
import { openNewFile, writeNewFile } from './newFile';
import { decodeFolders, encodeStorePath } from './pathEncoding';
import { checkCacheName, checkStoreName } from './storeNames';

/** Which part of a repository a received file belongs to. */
export type StoreArea = 'store' | 'cache';

/** What {@link StoreWriter} is told. */
export interface StoreWriterOptions {
  /** Legacy streams name their files in the form of `encodeFolders`, those of version 2 in the plain one. */
  hasEncodedFolders?: boolean;
  /** Takes small files off this thread; it writes below the repository's `.hg`. */
  relay?: FileRelay;
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
    const path = this.placeFor(area, name);
    if (this.options.relay?.offer(path, bytes) !== true) writeNewFile(join(this.hgFolder, path), name, bytes);
  }

  /** Begins a file whose bytes come in pieces. @throws as {@link file} */
  begin(area: StoreArea, name: string): void {
    this.currentPath = join(this.hgFolder, this.placeFor(area, name));
    this.current = openNewFile(this.currentPath, name);
  }

  /** Adds bytes to the file that was begun. @throws `destination` when the disk does not take them */
  write(bytes: Uint8Array): void {
    try {
      writeAll(this.current, bytes);
    } catch (error) {
      throw asDestinationError(error, this.currentPath);
    }
  }

  /** Ends the file that was begun. */
  close(): void {
    if (this.current >= 0) closeSync(this.current);
    this.current = -1;
  }

  /**
   * Writes what is left of fncache, and waits for what was handed to another thread. Without it, the store is not whole.
   * @throws `destination`, and what the other thread could not do
   */
  async finish(): Promise<void> {
    await this.options.relay?.finish();
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

  /** Below `.hg`; the folder for it is there. */
  private placeFor(area: StoreArea, name: string): string {
    return area === 'store' ? this.placeInStore(name) : placeInCache(name);
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
