import { createInflate, inflateSync, type Inflate } from 'node:zlib';
import { cancelledError, corruptError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { PackWindow } from './packWindow';

/** Bytes handed over at once while an object is inflated as a stream. */
export const streamChunk = 256 * 1024;

/**
 * How long the zlib stream of `size` bytes can be when it was made to be small: every 16 KiB that do not compress cost
 * five bytes, beside the head and checksum (RFC 1950, 1951). Longer streams are valid too; they take the slower way.
 */
export function packedBound(size: number): number {
  return size + Math.ceil(size / 4096) * 5 + 64;
}

/** Objects up to this size are sure to lie in the window whole. */
export const largestInWindow = 900 * 1024;

interface InflatedWithEngine {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/** What the one-shot inflate last used of the window; a result of two values would cost an allocation an object. */
export let packedLength = 0;

/**
 * Inflates an object of `size` bytes whose zlib stream begins at the window's position, and leaves `packedLength`. The
 * window is not moved.
 * @returns undefined when the stream goes on past the window: take {@link inflateStreamed} then.
 * @throws `corrupt` when the stream is not sound, or holds more or less than `size` bytes.
 */
export function inflateInWindow(window: PackWindow, size: number, entryOffset: number): Uint8Array | undefined {
  let result: InflatedWithEngine;
  try {
    // The types know the result without `info` only. The limit is what stops a small stream that inflates for ever.
    result = inflateSync(window.buffer.subarray(window.at, window.end), {
      info: true,
      chunkSize: Math.max(64, size + 1),
      maxOutputLength: size + 1,
    }) as unknown as InflatedWithEngine;
  } catch (error) {
    if (codeOf(error) === 'Z_BUF_ERROR') return undefined;
    throw inflateFault(error, window, size, entryOffset);
  }
  if (result.buffer.length !== size) throw wrongSize(window, result.buffer.length, size, entryOffset);
  packedLength = result.engine.bytesWritten;
  return result.buffer;
}

/** What becomes of the two sides of a stream while it is inflated; both views are valid during the call only. */
export interface InflateSink {
  content: (bytes: Uint8Array) => void;
  packed: (bytes: Uint8Array) => void;
}

/**
 * Inflates an object of any size through a fixed buffer and moves the window past it. The work is zlib's own, in
 * Node's thread pool, while the caller hashes and writes: how much input belonged to the stream is exact, since the
 * engine counts what it took.
 * @throws like {@link inflateInWindow}; an error of the pack's origin when the pack ends inside; what the sink throws.
 */
export async function inflateStreamed(
  window: PackWindow,
  size: number,
  entryOffset: number,
  sink: InflateSink,
  operation: Pick<Operation, 'signal'>,
): Promise<void> {
  const inflate = createInflate({ chunkSize: streamChunk });
  let inflated = 0;
  let fed = 0;
  let fault: Error | undefined;
  let release: () => void = () => undefined;
  const fail = (error: unknown) => {
    fault ??= asError(error);
    inflate.destroy();
  };
  inflate.on('error', (error) => (fault ??= asError(inflateFault(error, window, size, entryOffset))));
  // An engine that fails does not answer the write that made it fail.
  inflate.on('close', () => release());
  inflate.on('data', (bytes: Uint8Array) => {
    if (fault !== undefined) return;
    inflated += bytes.length;
    if (inflated > size) fail(wrongSize(window, inflated, size, entryOffset));
    else if (operation.signal.aborted) fail(cancelledError());
    else {
      try {
        sink.content(bytes);
      } catch (error) {
        fail(error);
      }
    }
  });
  try {
    for (;;) {
      if (window.available === 0) await window.fill(1);
      if (window.available === 0) {
        await finish(inflate);
        if (fault === undefined) break;
        throw window.endedEarly(`the object that begins at offset ${entryOffset}`);
      }
      const chunk = window.buffer.subarray(window.at, Math.min(window.end, window.at + streamChunk));
      const before = inflate.bytesWritten;
      await new Promise<void>((resolve) => {
        release = resolve;
        inflate.write(chunk, () => resolve());
      });
      if (fault !== undefined) throw fault;
      fed += chunk.length;
      const used = inflate.bytesWritten - before;
      if (used > 0) sink.packed(chunk.subarray(0, used));
      window.at += used;
      if (inflate.bytesWritten < fed) break;
    }
  } finally {
    inflate.destroy();
  }
  if (inflated !== size) throw wrongSize(window, inflated, size, entryOffset);
}

/** Lets the engine say whether the stream is complete: in a loose object's file nothing follows it. */
async function finish(inflate: Inflate): Promise<void> {
  await new Promise<void>((resolve) => {
    inflate.once('end', resolve);
    inflate.once('close', resolve);
    inflate.end();
  });
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function inflateFault(error: unknown, window: PackWindow, size: number, offset: number): unknown {
  const code = codeOf(error);
  const { name } = window;
  if (code === 'ERR_BUFFER_TOO_LARGE') return wrongSize(window, size + 1, size, offset);
  if (!code.startsWith('Z_')) return error;
  const words = error instanceof Error ? error.message : code;
  return corruptError(`The object at offset ${offset} of ${name} cannot be inflated: ${words}.`, {
    subject: name,
    offset,
    cause: error,
  });
}

function wrongSize(window: PackWindow, inflated: number, size: number, offset: number): Error {
  const much = inflated > size ? `more than the ${size} bytes` : `${inflated} bytes instead of the ${size}`;
  return corruptError(`The object at offset ${offset} of ${window.name} inflates to ${much} that its header claims.`, {
    subject: window.name,
    offset,
  });
}
