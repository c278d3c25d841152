import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { asDestinationError } from '../io/errors';
import { writeAll } from '../io/writeAll';
import { readExactly } from './packSource';

/** An object's bytes without header: in memory when they are few, else in a temporary file. */
export type Content = Uint8Array | ContentFile;

export function contentSize(content: Content): number {
  return content instanceof ContentFile ? content.size : content.length;
}

/** Inflated bytes that are too many for memory; the file goes when the content is disposed of. */
export class ContentFile implements Disposable {
  /** Bytes written so far. */
  size = 0;
  private file: number;

  /** Makes an empty file in `folder`, under a name that `git gc` takes for a stale temporary file's once it is old. */
  constructor(
    folder: string,
    readonly path = join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`),
  ) {
    try {
      this.file = openSync(this.path, 'wx+', 0o600);
    } catch (error) {
      throw asDestinationError(error, this.path);
    }
  }

  append(bytes: Uint8Array): void {
    writeContent(this.file, bytes, this.path);
    this.size += bytes.length;
  }

  /** The bytes from `at`: `length` of them. */
  read(at: number, length: number): Uint8Array {
    return readExactly(this.file, length, at, this.path);
  }

  [Symbol.dispose](): void {
    if (this.file < 0) return;
    closeSync(this.file);
    this.file = -1;
    rmSync(this.path, { force: true });
  }
}

/** Writes all of `bytes`. @throws `destination` for what `path` cannot take */
export function writeContent(file: number, bytes: Uint8Array, path: string, position: number | null = null): void {
  try {
    writeAll(file, bytes, position);
  } catch (error) {
    throw asDestinationError(error, path);
  }
}

/** Some bytes of content, wherever it is. */
export function contentBytes(content: Content, at: number, length: number): Uint8Array {
  return content instanceof ContentFile ? content.read(at, length) : content.subarray(at, at + length);
}
