import * as l10n from '@vscode/l10n';
import { join } from 'node:path';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { cancelledError, fromPlainError, protocolError, toPlainError, type PlainError } from '../io/errors';
import type { Operation } from '../io/operation';
import { writeNewFile } from './newFile';

/** A slab holds a few dozen small files: little enough that neither thread waits long for the other. */
const slabSize = 64 * 1024;
const slabCount = 4;
/** Larger files are no work for the system but for the memory bus: handing them over would only copy them. */
const largestFile = 16 * 1024;
/** 2 bytes for the length of the name, 4 for that of the content, both little-endian; then name and content. */
const headSize = 6;

type ToWriter = { type: 'files'; slab: ArrayBuffer; length: number } | { type: 'end' };
type FromWriter = { type: 'slab'; slab: ArrayBuffer } | { type: 'error'; error: PlainError };

/** From so many files on it pays to start another thread that writes some of them. */
export const manyFiles = 1000;

/**
 * Shares the writing of small files with another thread, which runs {@link writeRelayedFiles} on the other end of the
 * port: making a file is mostly the system's work, and the system does it on two cores at once. Memory is bounded by a
 * few slabs; while all of them are with the other thread, whoever offers a file writes it.
 */
export class FileRelay implements Disposable {
  private readonly free: ArrayBuffer[] = Array.from({ length: slabCount }, () => new ArrayBuffer(slabSize));
  private slab: ArrayBuffer | undefined;
  private filled = 0;
  private isClosed = false;

  constructor(private readonly port: MessagePort) {
    port.on('close', () => (this.isClosed = true));
  }

  /**
   * Takes a file to be written by the other thread; false when it would rather not.
   * @param path ASCII, below the folder that the other thread writes to
   * @throws what the other thread could not do with a file that it was given before
   */
  offer(path: string, bytes: Uint8Array): boolean {
    const length = headSize + path.length + bytes.length;
    if (bytes.length > largestFile || length > slabSize) return false;
    if (this.filled + length > slabSize) this.send();
    if (this.slab === undefined) {
      this.takeBack();
      this.slab = this.free.pop();
      if (this.slab === undefined) return false;
    }
    const room = Buffer.from(this.slab, this.filled, length);
    room.writeUInt16LE(path.length, 0);
    room.writeUInt32LE(bytes.length, 2);
    room.write(path, headSize, 'latin1');
    room.set(bytes, headSize + path.length);
    this.filled += length;
    return true;
  }

  /** Resolves when everything that was taken is on disk. @throws what the other thread could not do */
  async finish(): Promise<void> {
    this.send();
    // What went wrong there is a better reason than that it ended.
    this.takeBack();
    this.post({ type: 'end' });
    await new Promise<void>((resolve, reject) => {
      const look = () => this.free.length === slabCount && resolve();
      this.port.on('message', (message: FromWriter) => {
        if (message.type === 'error') {
          reject(fromPlainError(message.error));
          return;
        }
        this.free.push(message.slab);
        look();
      });
      const close = () => reject(protocolError(l10n.t('The thread that writes files has ended.')));
      this.port.on('close', close);
      look();
      if (this.isClosed) close();
    });
  }

  [Symbol.dispose](): void {
    this.port.close();
  }

  private send(): void {
    if (this.slab === undefined) return;
    this.post({ type: 'files', slab: this.slab, length: this.filled }, [this.slab]);
    this.slab = undefined;
    this.filled = 0;
  }

  private post(message: ToWriter, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transfer);
  }

  private takeBack(): void {
    for (;;) {
      const message = receiveMessageOnPort(this.port)?.message as FromWriter | undefined;
      if (message === undefined) return;
      if (message.type === 'error') throw fromPlainError(message.error);
      this.free.push(message.slab);
    }
  }
}

/** Where the files of a {@link FileRelay} go. */
export interface RelayedFiles {
  folder: string;
  port: MessagePort;
}

/**
 * Worker task: writes what the other end's {@link FileRelay} hands over, until it ends or goes away. What cannot be
 * written is told to the other end.
 */
export async function writeRelayedFiles({ folder, port }: RelayedFiles, operation: Operation): Promise<void> {
  const answer = (message: FromWriter, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  await new Promise<void>((resolve) => {
    const giveUp = (error: unknown) => {
      answer({ type: 'error', error: toPlainError(error) });
      resolve();
    };
    operation.signal.addEventListener('abort', () => giveUp(cancelledError()), { once: true });
    port.on('close', resolve);
    port.on('message', (message: ToWriter) => {
      if (message.type === 'end') {
        resolve();
        return;
      }
      try {
        writeSlab(folder, Buffer.from(message.slab, 0, message.length));
        answer({ type: 'slab', slab: message.slab }, [message.slab]);
      } catch (error) {
        giveUp(error);
      }
    });
  });
}

function writeSlab(folder: string, slab: Buffer): void {
  for (let at = 0; at < slab.length;) {
    const nameEnd = at + headSize + slab.readUInt16LE(at);
    const end = nameEnd + slab.readUInt32LE(at + 2);
    const name = slab.toString('latin1', at + headSize, nameEnd);
    writeNewFile(join(folder, name), name, slab.subarray(nameEnd, end));
    at = end;
  }
}
