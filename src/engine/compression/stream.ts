import * as l10n from '@vscode/l10n';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { corruptError, EngineError, unsupportedError } from '../io/errors';
import { decodeBzip2 } from './bzip2';
import type { CompressionName } from './codec';
import { isCompressible } from './compressibility';
import { throughTransform } from './throughTransform';
import { decodeZstdFrames } from './zstdFrames';

const pieceSize = 64 * 1024;
/** What is decided at once whether deflating is worth it. */
const blockSize = 256 * 1024;
/** `ZSTD_c_compressionLevel` */
const zstdLevelParameter = 100;
const defaultZstdLevel = 3;

type ZlibTransform = Transform & { readonly bytesWritten: number };

/** What Node has from 22.15 on; the types of Node 20 do not know it. */
interface NodeZstd {
  createZstdDecompress?: (options: { chunkSize: number }) => ZlibTransform;
  createZstdCompress?: (options: { chunkSize: number; params: Record<number, number> }) => ZlibTransform;
}
const { createZstdDecompress, createZstdCompress } = zlib as NodeZstd;

/** Engines that a stream can be decompressed from, best first. */
export const readableEngines: readonly CompressionName[] = ['zstd', 'zlib', 'none', 'bzip2'];

/**
 * Engines that a stream can be compressed with in the running Node, best first. A zstd stream has to be one frame, since
 * `hg` reads no further than the first, and what Node is without can only make frames of what is in memory as a whole.
 */
export const writableEngines: readonly CompressionName[] =
  createZstdCompress === undefined ? ['zlib', 'none'] : ['zstd', 'zlib', 'none'];

/**
 * Undoes the compression of a stream. Pulled and bounded: the source is read as the result is, whatever it inflates to.
 * A view of the source is done with when the next is asked for.
 *
 * @throws `corrupt` when the bytes are not what `engine` makes, end early or go on after the end; `unsupported` when they
 * need more memory than anyone should; what the source throws, as it is.
 */
export function decompressStream(
  engine: CompressionName,
  source: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  return engine === 'none' ? source : coded(engine, source, (input) => decoded(engine, input));
}

/**
 * Compresses a stream, pulled as {@link decompressStream} is.
 * @param level of the engine: zlib 0 to 9, zstd 1 to 22; by default what the engine itself prefers
 * @throws `unsupported` when the engine is not among {@link writableEngines}
 */
export function compressStream(
  engine: CompressionName,
  source: AsyncIterable<Uint8Array>,
  level?: number,
): AsyncIterable<Uint8Array> {
  if (engine === 'none') return source;
  if (engine === 'zlib') return deflated(source, level);
  if (engine === 'zstd' && createZstdCompress !== undefined) {
    const params = { [zstdLevelParameter]: level ?? defaultZstdLevel };
    return throughTransform(createZstdCompress({ chunkSize: pieceSize, params }), source);
  }
  throw unsupportedError(l10n.t('Streams cannot be compressed with {0} here.', engine), {
    subject: engine,
    advice: l10n.t('Choose one of {0}.', writableEngines.join(', ')),
  });
}

/** Deflates, and only passes on what deflating would not make smaller: that takes a tenth of the time. */
function deflated(source: AsyncIterable<Uint8Array>, level = zlib.constants.Z_DEFAULT_COMPRESSION) {
  const deflate = zlib.createDeflate({ chunkSize: pieceSize, level });
  let current = level;
  return throughTransform(deflate, inBlocks(source), (block, done) => {
    // Amid noise one sample has to do: looking costs more than passing on.
    const wanted = isCompressible(block, current === 0 ? 1 : undefined) ? level : 0;
    if (wanted === current) {
      done();
    } else {
      current = wanted;
      deflate.params(wanted, zlib.constants.Z_DEFAULT_STRATEGY, done);
    }
  });
}

/** The same bytes in blocks that are large enough to be looked at one by one. */
async function* inBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(blockSize);
  let filled = 0;
  for await (const bytes of source) {
    for (let taken = 0; taken < bytes.length;) {
      const length = Math.min(bytes.length - taken, blockSize - filled);
      block.set(bytes.subarray(taken, taken + length), filled);
      taken += length;
      filled += length;
      if (filled < blockSize) continue;
      yield block;
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** The engine of that name. @throws `unsupported` when there is none. */
export function parseEngine(name: string): CompressionName {
  const engine = readableEngines.find((known) => known === name);
  if (engine === undefined) {
    throw unsupportedError(
      l10n.t('The server compresses with {0}, which Deltascope does not know.', JSON.stringify(name)),
      {
        subject: name,
      },
    );
  }
  return engine;
}

function decoded(
  engine: Exclude<CompressionName, 'none'>,
  source: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  switch (engine) {
    case 'zlib':
      return throughTransform(zlib.createInflate({ chunkSize: pieceSize }), source);
    case 'zstd':
      return createZstdDecompress === undefined
        ? decodeZstdFrames(source)
        : throughTransform(createZstdDecompress({ chunkSize: pieceSize }), source);
    case 'bzip2':
      return decodeBzip2(source);
  }
}

/** Runs a decoder, telling its own errors, which are damage, from those of its source, which are not. */
async function* coded(
  engine: CompressionName,
  source: AsyncIterable<Uint8Array>,
  decode: (input: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const ofSource = new Set<unknown>();
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      ofSource.add(error);
      throw error;
    }
  };
  try {
    yield* decode(watched());
  } catch (error) {
    throw ofSource.has(error) ? error : damaged(engine, error);
  }
}

function damaged(engine: CompressionName, error: unknown): EngineError {
  if (error instanceof EngineError && error.kind === 'unsupported') return error;
  if (error instanceof Error && 'code' in error && error.code === 'ZSTD_error_frameParameter_windowTooLarge') {
    return unsupportedError(l10n.t('The zstd stream needs more memory than a stream should.'), {
      subject: engine,
      cause: error,
    });
  }
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  return corruptError(l10n.t('The {0} stream is damaged: {1}.', engine, reason), { subject: engine, cause: error });
}
