import * as l10n from '@vscode/l10n';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { corruptError, destinationError } from '../io/errors';

/** Where the bytes of a pack come from, in order. */
export interface PackSource extends Disposable {
  /** What it is called in errors. */
  readonly name: string;
  /** Bytes in all, where that is known before. */
  readonly totalBytes?: number;
  /** Puts bytes into `buffer` from `at`, at most to `end`; tells how many, and 0 only when there are no more. */
  read(buffer: Uint8Array, at: number, end: number): number | Promise<number>;
  /** Ends a source that waits for its other side. */
  close?(): Promise<void>;
}

/** A file, read in the calling thread: for workers, whose work is to wait for it. */
export function fileSource(path: string, start = 0): PackSource {
  const file = openForReading(path);
  return {
    ...openFileSource(file, start, path),
    totalBytes: fstatSync(file).size - start,
    [Symbol.dispose]: () => closeSync(file),
  };
}

/** An open file from a position on; whoever opened it closes it. */
export function openFileSource(file: number, start: number, name: string): PackSource {
  let position = start;
  return {
    name,
    read(buffer, at, end) {
      const length = readSync(file, buffer, at, end - at, position);
      position += length;
      return length;
    },
    [Symbol.dispose]: () => undefined,
  };
}

/** A stream, such as standard input or a download; what a chunk has too much waits for the next read. */
export function streamSource(stream: AsyncIterable<Uint8Array>, name: string, totalBytes?: number): PackSource {
  const iterator = stream[Symbol.asyncIterator]();
  let chunk = new Uint8Array(0);
  let used = 0;
  const take = (buffer: Uint8Array, at: number, end: number) => {
    const length = Math.min(end - at, chunk.length - used);
    buffer.set(chunk.subarray(used, used + length), at);
    used += length;
    return length;
  };
  return {
    name,
    totalBytes,
    read(buffer, at, end) {
      if (used < chunk.length) return take(buffer, at, end);
      return (async () => {
        for (;;) {
          const next = await iterator.next();
          if (next.done === true) return 0;
          if (next.value.length === 0) continue;
          chunk = next.value as Uint8Array<ArrayBuffer>;
          used = 0;
          return take(buffer, at, end);
        }
      })();
    },
    close: async () => {
      await iterator.return?.();
    },
    [Symbol.dispose]: () => undefined,
  };
}

/** @throws `destination` when the file cannot be read, with the reason. */
export function openForReading(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const words: Record<string, string | undefined> = {
      ENOENT: l10n.t('it does not exist'),
      EACCES: l10n.t('permission was denied'),
    };
    throw destinationError(l10n.t('Could not open {0}: {1}.', path, words[reason] ?? reason), {
      subject: path,
      cause: error,
    });
  }
}

/** Bytes of a file from `position`: all that were asked for. @throws `corrupt` when the file ends before. */
export function readExactly(file: number, length: number, position: number, name: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, bytes, filled, length - filled, position + filled);
    if (read === 0) {
      throw corruptError(
        l10n.t('{0} ends at {1}, before the {2} bytes at offset {3}.', name, position + filled, length, position),
        {
          subject: name,
          offset: position + filled,
        },
      );
    }
    filled += read;
  }
  return bytes;
}
