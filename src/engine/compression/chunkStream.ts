import * as l10n from '@vscode/l10n';
import { Decompress } from 'fzstd';
import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { corruptError, EngineError } from '../io/errors';

/** How much of a zstd frame is decoded at a time. */
const sliceLength = 16 * 1024;

/**
 * Decodes one chunk of a revlog, as {@link decodeChunk} does, without holding it or what comes out: `sink` is given the
 * text in pieces, each valid until it returns. What `sink` throws ends it.
 *
 * @throws `corrupt` when the chunk is of no known kind or damaged
 */
export async function streamChunk(
  pieces: Iterable<Uint8Array>,
  sink: (bytes: Uint8Array) => void,
  subject: string,
): Promise<void> {
  const iterator = pieces[Symbol.iterator]();
  const first = iterator.next();
  if (first.done === true || first.value.length === 0) return;
  const rest = function* (skipped: number): Generator<Uint8Array> {
    yield first.value.subarray(skipped);
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
  };
  const mark = String.fromCharCode(first.value[0]);
  try {
    if (mark === 'x') await inflate(rest(0), sink);
    else if (mark === '(') decodeZstd(rest(0), sink);
    else if (mark === 'u' || mark === '\0') for (const piece of rest(mark === 'u' ? 1 : 0)) sink(piece);
    else
      throw corruptError(l10n.t('{0} is in an unknown compression, 0x{1}.', subject, first.value[0].toString(16)), {
        subject,
      });
  } catch (error) {
    if (error instanceof EngineError || !isDecoderError(error)) throw error;
    throw corruptError(l10n.t('{0} cannot be decoded: {1}.', subject, error.message), { subject, cause: error });
  } finally {
    iterator.return?.();
  }
}

async function inflate(pieces: Iterable<Uint8Array>, sink: (bytes: Uint8Array) => void): Promise<void> {
  const inflater = createInflate({ chunkSize: 256 * 1024 });
  const copies = function* (): Generator<Uint8Array> {
    // The stream reads ahead, and the pieces' memory is used again.
    for (const piece of pieces) yield piece.slice();
  };
  const source = Readable.from(copies(), { objectMode: true, highWaterMark: 1 });
  source.on('error', (error) => inflater.destroy(error));
  for await (const bytes of source.pipe(inflater)) sink(bytes as Uint8Array);
}

function decodeZstd(pieces: Iterable<Uint8Array>, sink: (bytes: Uint8Array) => void): void {
  const decoder = new Decompress((bytes) => sink(bytes));
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += sliceLength) decoder.push(piece.slice(at, at + sliceLength));
  }
  decoder.push(new Uint8Array(0), true);
}

/** Those of zlib have a code beginning with `Z_`, those of fzstd a number. */
function isDecoderError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    (typeof error.code === 'number' || /^(Z_|ERR_BUFFER)/.test(String(error.code)))
  );
}
