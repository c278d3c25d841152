import { Readable, Transform, type Duplex } from 'node:stream';
import * as zlib from 'node:zlib';
import { Decompress as ZstdDecompress } from 'fzstd';
import unbzip2Stream from 'unbzip2-stream';
import { corruptError, EngineError, unsupportedError } from '../io/errors';
import type { CompressionName } from './codec';

const pieceSize = 64 * 1024;
const zstdPieceSize = 1024;

/**
 * Undoes the compression of a stream. Pulled and bounded: the source is read as the result is, whatever it inflates to.
 * @throws `corrupt` when the bytes are not what `engine` makes, end early or go on after the end.
 */
export function decompressStream(
  engine: CompressionName,
  source: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  switch (engine) {
    case 'none':
      return source;
    case 'zlib':
      return throughNode(zlib.createInflate({ chunkSize: pieceSize }), engine, source);
    case 'zstd':
      return hasNodeZstd(zlib)
        ? throughNode(zlib.createZstdDecompress({ chunkSize: pieceSize }), engine, source)
        : throughFzstd(source);
    case 'bzip2':
      return throughNode(unbzip2Stream(), engine, source);
  }
}

/** Engines that a stream can be decompressed from, best first. */
export const readableEngines: readonly CompressionName[] = ['zstd', 'zlib', 'none', 'bzip2'];

interface ZstdZlib {
  createZstdDecompress(options: { chunkSize: number }): Duplex;
}

function hasNodeZstd(module: unknown): module is ZstdZlib {
  return typeof module === 'object' && module !== null && 'createZstdDecompress' in module;
}

async function* throughNode(
  decoder: Duplex | NodeJS.ReadWriteStream,
  engine: CompressionName,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let sourceError: Error | undefined;
  const guarded = async function* () {
    try {
      // Copied: a decoder works on its input after it has asked for more, when the source's view is gone.
      for await (const bytes of source) yield Buffer.from(bytes);
    } catch (error) {
      sourceError = error instanceof Error ? error : new Error(String(error));
      throw sourceError;
    }
  };
  const input = Readable.from(guarded(), { objectMode: false, highWaterMark: pieceSize });
  input.on('error', (error) => {
    if (decoder instanceof Transform) decoder.destroy(error);
    else decoder.emit('error', error);
  });
  try {
    for await (const bytes of input.pipe(decoder) as AsyncIterable<Uint8Array>) yield bytes;
  } catch (error) {
    throw sourceError ?? damaged(engine, error);
  } finally {
    input.destroy();
  }
}

async function* throughFzstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  let complete = true;
  const decoder = new ZstdDecompress((bytes, final) => {
    if (bytes.length > 0) ready.push(bytes.slice());
    complete = final === true;
  });
  const push = (bytes: Uint8Array, final: boolean) => {
    try {
      decoder.push(bytes, final);
    } catch (error) {
      throw damaged('zstd', error);
    }
  };
  for await (const bytes of source) {
    complete = false;
    // In small pieces, since a block of four bytes can become 128 KiB: little becomes much only as it is taken away.
    for (let at = 0; at < bytes.length; at += zstdPieceSize) {
      push(bytes.slice(at, at + zstdPieceSize), false);
      while (ready.length > 0) yield ready.shift() ?? new Uint8Array(0);
    }
  }
  push(new Uint8Array(0), true);
  while (ready.length > 0) yield ready.shift() ?? new Uint8Array(0);
  if (!complete) throw damaged('zstd', new Error('it ended early'));
}

function damaged(engine: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return corruptError(`The ${engine} stream is damaged: ${reason}.`, { subject: engine, cause: error });
}

/** The engine of that name. @throws `unsupported` when there is none. */
export function parseEngine(name: string): CompressionName {
  const engine = readableEngines.find((known) => known === name);
  if (engine === undefined) {
    throw unsupportedError(`The server compresses with ${JSON.stringify(name)}, which Deltascope does not know.`, {
      subject: name,
    });
  }
  return engine;
}
