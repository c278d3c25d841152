import * as l10n from '@vscode/l10n';
import { inflateSync } from 'node:zlib';
import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, zlibInflate, zlibInflateInit, ZStream } from 'pako';
import { corruptError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
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
 * Inflates an object of any size through a fixed buffer and moves the window past it. Node's own zlib makes a new buffer
 * for each piece, which a busy machine collects late: tens of megabytes that come and go. Here nothing is allocated once
 * the first piece is out, and how much input belonged to the stream is exact.
 * @throws like {@link inflateInWindow}; an error of the pack's origin when the pack ends inside; what the sink throws.
 */
export async function inflateStreamed(
  window: PackWindow,
  size: number,
  entryOffset: number,
  sink: InflateSink,
  operation: Pick<Operation, 'signal'>,
): Promise<void> {
  const stream = new ZStream();
  const output = new Uint8Array(Math.min(streamChunk, size + 1));
  zlibInflateInit(stream);
  stream.input = window.buffer;
  stream.output = output;
  let inflated = 0;
  for (let status: number = Z_OK; status !== Z_STREAM_END;) {
    throwIfCancelled(operation);
    if (window.available === 0) await window.fill(1);
    if (window.available === 0) throw window.endedEarly(l10n.t('the object that begins at offset {0}', entryOffset));
    const { at } = window;
    stream.next_in = at;
    stream.avail_in = Math.min(streamChunk, window.available);
    stream.next_out = 0;
    stream.avail_out = output.length;
    status = zlibInflate(stream, Z_NO_FLUSH);
    if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) {
      throw notInflatable(window, entryOffset, stream.msg === '' ? l10n.t("zlib's status is {0}", status) : stream.msg);
    }
    inflated += stream.next_out;
    if (inflated > size) throw wrongSize(window, inflated, size, entryOffset);
    if (stream.next_out > 0) sink.content(output.subarray(0, stream.next_out));
    if (stream.next_in > at) sink.packed(window.buffer.subarray(at, stream.next_in));
    window.at = stream.next_in;
  }
  if (inflated !== size) throw wrongSize(window, inflated, size, entryOffset);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function inflateFault(error: unknown, window: PackWindow, size: number, offset: number): unknown {
  const code = codeOf(error);
  if (code === 'ERR_BUFFER_TOO_LARGE') return wrongSize(window, size + 1, size, offset);
  if (!code.startsWith('Z_')) return error;
  return notInflatable(window, offset, error instanceof Error ? error.message : code);
}

function notInflatable(window: PackWindow, offset: number, why: string): Error {
  return corruptError(l10n.t('The object at offset {0} of {1} cannot be inflated: {2}.', offset, window.name, why), {
    subject: window.name,
    offset,
  });
}

function wrongSize(window: PackWindow, inflated: number, size: number, offset: number): Error {
  const much =
    inflated > size ? l10n.t('more than the {0} bytes', size) : l10n.t('{0} bytes instead of the {1}', inflated, size);
  return corruptError(
    l10n.t('The object at offset {0} of {1} inflates to {2} that its header claims.', offset, window.name, much),
    {
      subject: window.name,
      offset,
    },
  );
}
