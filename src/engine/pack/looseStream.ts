import { randomBytes } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  type WriteStream,
} from 'node:fs';
import { join } from 'node:path';
import { createDeflate, createInflate } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { isCompressible, levelFor } from '../compression/compressibility';
import { asDestinationError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { writeContent } from './content';
import { inflateStreamed } from './inflateEntry';
import { looseHeadLength, putLooseHead, putLooseTail, zlibHeadLength, zlibTailLength } from './looseEnvelope';
import type { LooseWriter } from './looseWriter';
import { newHash } from './objectFormat';
import { looseHeader, type ObjectKind } from './objectKind';
import type { PackWindow } from './packWindow';

/** An object that was written without being in memory. */
export interface StreamedObject {
  name: Uint8Array;
  /** Bytes of its file; 0 when the repository had the object before. */
  bytes: number;
}

/**
 * Takes an object of the pack to its loose file through a fixed buffer. Its deflate blocks are written as the pack has
 * them while they are inflated to be checked and hashed; only what the pack itself did not deflate, and would be worth it,
 * is deflated afterwards.
 */
export async function streamPackedObject(
  window: PackWindow,
  kind: ObjectKind,
  size: number,
  entryOffset: number,
  writer: LooseWriter,
  operation: Operation,
  onPiece: () => void,
): Promise<StreamedObject> {
  using file = new LooseFile(writer);
  const header = looseHeader(kind, size);
  const headLength = looseHeadLength(header);
  const hash = newHash(writer.target.format).update(header);
  const tail = new Uint8Array(zlibTailLength);
  let packedLength = 0;
  let wouldShrink: boolean | undefined;
  await inflateStreamed(
    window,
    size,
    entryOffset,
    {
      content: (bytes) => {
        hash.update(bytes);
        wouldShrink ??= isCompressible(bytes);
        onPiece();
      },
      packed: (bytes) => {
        // The two bytes of zlib's own head give way to the loose head, which ends where the blocks begin.
        const skipped = Math.max(0, zlibHeadLength - packedLength);
        file.write(bytes.subarray(skipped), headLength + packedLength + skipped - zlibHeadLength);
        keepLast(tail, bytes);
        packedLength += bytes.length;
      },
    },
    operation,
  );
  const head = new Uint8Array(headLength);
  putLooseHead(head, 0, header);
  file.write(head, 0);
  const checksum = new Uint8Array(zlibTailLength);
  putLooseTail(checksum, 0, header, size, tail, 0);
  const length = headLength + packedLength - zlibHeadLength;
  file.write(checksum, length - zlibTailLength);
  if (packedLength < size || wouldShrink !== true) return file.finish(hash.digest(), length);
  using smaller = await deflateAgain(file, writer, operation);
  return smaller.finish(hash.digest(), smaller.length);
}

/** Writes an object that comes in pieces, such as the result of a delta on a large base. */
export async function streamObject(
  kind: ObjectKind,
  size: number,
  pieces: Iterable<Uint8Array>,
  writer: LooseWriter,
  operation: Operation,
): Promise<StreamedObject> {
  using file = new LooseFile(writer);
  const header = looseHeader(kind, size);
  const hash = newHash(writer.target.format).update(header);
  let deflating: Deflating | undefined;
  try {
    for (const piece of pieces) {
      throwIfCancelled(operation);
      hash.update(piece);
      // The first piece stands for the rest.
      if (deflating === undefined) {
        deflating = new Deflating(file, levelFor(piece, writer.target.compression));
        await deflating.add(header);
      }
      await deflating.add(piece);
    }
    deflating ??= new Deflating(file, writer.target.compression);
    await deflating.end();
  } finally {
    deflating?.destroy();
  }
  return file.finish(hash.digest(), file.length);
}

/** A loose object's file while its name is not known. */
class LooseFile implements Disposable {
  readonly path: string;
  length = 0;
  private file: number;

  constructor(private readonly writer: LooseWriter) {
    this.path = join(writer.target.quarantine, `tmp_obj_${randomBytes(6).toString('hex')}`);
    try {
      this.file = openSync(this.path, 'wx+', 0o444);
    } catch (error) {
      throw asDestinationError(error, this.path);
    }
  }

  write(bytes: Uint8Array, position: number): void {
    writeContent(this.file, bytes, this.path, position);
    this.length = Math.max(this.length, position + bytes.length);
  }

  /** A stream into the file, which stays open. */
  stream(): WriteStream {
    return createWriteStream(this.path, { fd: this.file, start: 0, autoClose: false });
  }

  append(bytes: Uint8Array): void {
    this.write(bytes, this.length);
  }

  /** Gives the file its name, unless the object is there already. */
  finish(name: Uint8Array, length: number): StreamedObject {
    if (this.writer.skipsExisting(name)) return { name, bytes: 0 };
    this.writer.finishFile(this.file);
    this.close();
    const target = this.writer.pathFor(name);
    // The same object may be in a pack twice.
    if (existsSync(target)) return { name, bytes: 0 };
    try {
      renameSync(this.path, target);
    } catch (error) {
      throw asDestinationError(error, target);
    }
    this.writer.count(length);
    return { name, bytes: length };
  }

  [Symbol.dispose](): void {
    this.close();
    rmSync(this.path, { force: true });
  }

  private close(): void {
    if (this.file >= 0) closeSync(this.file);
    this.file = -1;
  }
}

/** Deflates in Node's thread pool, one piece at a time, into a file. */
class Deflating {
  private readonly deflate;
  private release: () => void = () => undefined;
  private fault: Error | undefined;

  constructor(file: LooseFile, level: number) {
    this.deflate = createDeflate({ level, chunkSize: 256 * 1024 });
    this.deflate.on('error', (error) => (this.fault ??= error));
    this.deflate.on('close', () => this.release());
    this.deflate.on('data', (bytes: Uint8Array) => {
      try {
        file.append(bytes);
      } catch (error) {
        this.fault ??= error instanceof Error ? error : new Error(String(error));
      }
    });
  }

  /** Resolves when the piece may be used for other bytes. */
  async add(piece: Uint8Array): Promise<void> {
    await this.settle((done) => this.deflate.write(piece, done));
  }

  async end(): Promise<void> {
    await this.settle((done) => {
      this.deflate.once('end', done);
      this.deflate.end();
    });
  }

  destroy(): void {
    this.deflate.destroy();
  }

  private async settle(start: (done: () => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      this.release = resolve;
      start(resolve);
    });
    if (this.fault !== undefined) throw this.fault;
  }
}

async function deflateAgain(file: LooseFile, writer: LooseWriter, operation: Operation): Promise<LooseFile> {
  const smaller = new LooseFile(writer);
  try {
    const target = smaller.stream();
    const deflate = createDeflate({ level: writer.target.compression, chunkSize: 256 * 1024 });
    await pipeline(createReadStream(file.path, { highWaterMark: 256 * 1024 }), createInflate(), deflate, target, {
      signal: operation.signal,
    });
    smaller.length = target.bytesWritten;
    return smaller;
  } catch (error) {
    smaller[Symbol.dispose]();
    throwIfCancelled(operation);
    throw asDestinationError(error, smaller.path);
  }
}

/** Keeps the last bytes of a stream that comes in pieces, some of which may be shorter than what is kept. */
function keepLast(last: Uint8Array, bytes: Uint8Array): void {
  const { length } = last;
  if (bytes.length >= length) last.set(bytes.subarray(bytes.length - length));
  else {
    last.copyWithin(0, bytes.length);
    last.set(bytes, length - bytes.length);
  }
}
