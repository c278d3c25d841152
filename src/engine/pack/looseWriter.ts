import { chmodSync, closeSync, fchmodSync, fstatSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { levelFor } from '../compression/compressibility';
import { concatenate } from '../io/byteReader';
import { asDestinationError } from '../io/errors';
import { writeContent } from './content';
import type { SharedMode } from './gitRepository';
import { hexName, type ObjectFormat } from './objectFormat';
import { ObjectStore } from './objectStore';

/** What a thread needs to know to write loose objects. */
export interface LooseTarget {
  /** The repository's object folder. */
  objects: string;
  /** Where new objects gather. */
  quarantine: string;
  format: ObjectFormat;
  /** The level of zlib for what must be deflated. */
  compression: number;
  fsync: boolean;
  shared?: SharedMode;
}

/** How many objects were written, how many were in the repository before, and the bytes of the files. */
export interface WriteCounts {
  written: number;
  existing: number;
  bytes: number;
}

/**
 * Writes loose objects into the quarantine: `xx/yyyy...`, read-only, never over a file that is there. Calls are
 * synchronous, since whoever calls is a thread made for this; an asynchronous call costs four times as much.
 */
export class LooseWriter implements Disposable {
  readonly counts: WriteCounts = { written: 0, existing: 0, bytes: 0 };
  private readonly store: ObjectStore;
  private readonly folders = new Array<string>(256).fill('');

  constructor(readonly target: LooseTarget) {
    this.store = new ObjectStore(target.objects, target.format);
  }

  /** Writes the file of an object: the parts as they are, or `kind size\0` and content that must be deflated first. */
  write(name: Uint8Array, parts: readonly Uint8Array[], isDeflated: boolean): void {
    if (this.store.freshen(name)) {
      this.counts.existing++;
      return;
    }
    const written = isDeflated ? parts : [deflated(parts, this.target.compression)];
    const path = this.pathFor(name);
    let file: number;
    try {
      file = openSync(path, 'wx', 0o444);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
      throw asDestinationError(error, path);
    }
    try {
      for (const part of written) writeContent(file, part, path);
      this.finishFile(file);
    } finally {
      closeSync(file);
    }
    this.count(lengthOf(written));
  }

  /** Whether the repository had this object before; its files count as new from now on. */
  skipsExisting(name: Uint8Array): boolean {
    if (!this.store.freshen(name)) return false;
    this.counts.existing++;
    return true;
  }

  /** The path of an object in the quarantine, with its folder made. */
  pathFor(name: Uint8Array): string {
    const hex = hexName(name);
    let folder = this.folders[name[0]];
    if (folder === '') {
      folder = join(this.target.quarantine, hex.slice(0, 2));
      try {
        mkdirSync(folder, { recursive: true });
        if (this.target.shared !== undefined) chmodSync(folder, folderMode(folder, this.target.shared));
      } catch (error) {
        throw asDestinationError(error, folder);
      }
      this.folders[name[0]] = folder;
    }
    return folder + separator + hex.slice(2);
  }

  /** Gives a written file its permissions and, where that is wanted, waits for the disk. */
  finishFile(file: number): void {
    const { shared, fsync } = this.target;
    if (shared !== undefined) fchmodSync(file, sharedBits(fstatSync(file).mode, shared) & 0o444);
    if (fsync) fsyncSync(file);
  }

  count(bytes: number): void {
    this.counts.written++;
    this.counts.bytes += bytes;
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
  }
}

const separator = join('a', 'b').slice(1, 2);

function sharedBits(mode: number, { bits, isExact }: SharedMode): number {
  return isExact ? bits : (mode & 0o777) | bits;
}

/** Who may read files may search folders; new files in them belong to the folder's group. */
function folderMode(path: string, shared: SharedMode): number {
  const mode = sharedBits(statSync(path).mode, shared);
  return 0o2000 | mode | ((mode & 0o444) >> 2);
}

/** A small window for small content: zlib clears all the memory that it asks for, which costs more than the deflating. */
function deflated(parts: readonly Uint8Array[], compression: number): Uint8Array {
  const bytes = parts.length === 1 ? parts[0] : concatenate(parts, lengthOf(parts));
  const windowBits = Math.max(9, Math.min(15, 32 - Math.clz32(bytes.length)));
  return deflateSync(bytes, {
    level: levelFor(bytes, compression),
    windowBits,
    memLevel: Math.min(8, windowBits - 6),
    chunkSize: Math.max(64, bytes.length + 64),
  });
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}
