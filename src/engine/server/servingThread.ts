import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { cancelledError, fromPlainError, protocolError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Tasks } from '../tasks';
import type { CompressionName } from '../compression/codec';
import type { GivenArguments } from './commandRequest';
import type { BundleInfo } from './getBundleChunks';
import type { FromServing, ToServing } from './serveTask';

/** A command for a repository. */
export interface ServedCommand {
  root: string;
  command: string;
  args: GivenArguments;
  /** How much of a bundle is in memory at a time, in chunks of 32 kB. */
  chunksInSlab: number;
  /** Milliseconds to wait for the store's lock. */
  lockPatience: number;
  /** Streams are worth compressing: the network is slower than this machine. */
  compressStreams: boolean;
  /** Clients are asked to send arguments in bodies. */
  postArguments: boolean;
  /** Engines that responses may travel in, best first. */
  engines: readonly CompressionName[];
  /** What fails is thrown, and not told in a bundle: whoever asks is here. */
  throwsErrors?: boolean;
}

/** The answer to a command: a short one at once, or a bundle. */
export type ServedAnswer =
  | { type: 'text'; text: string }
  /** Each chunk is valid until the next is asked for; the signal closes it too. */
  | { type: 'bundle'; info: BundleInfo; chunks: AsyncIterable<Uint8Array> };

/** Another thread that reads the repositories, for all clients at once; this one has only the network to do. */
export class ServingThread {
  private readonly waiting = new Map<
    number,
    { resolve: (message: FromServing) => void; reject: (error: Error) => void }
  >();
  private count = 0;
  /** Resolves when the thread has ended; never rejects. */
  readonly ended: Promise<void>;
  private failure: Error | undefined;

  private constructor(
    private readonly port: MessagePort,
    running: Promise<void>,
  ) {
    port.on('message', (message: FromServing) => {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      waiting?.resolve(message);
    });
    this.ended = running
      .catch((error: unknown) => {
        this.failure = error instanceof Error ? error : new Error(String(error));
      })
      .then(() => {
        this.failure ??= cancelledError('The server was closed.');
        for (const { reject } of this.waiting.values()) reject(this.failure);
        this.waiting.clear();
      });
  }

  /** The thread is one beyond the limit of the pool: who is served may have tasks of its own there. */
  static start(workers: WorkerPool<Tasks>, operation: Operation): ServingThread {
    const { port1, port2 } = new MessageChannel();
    const running = workers.run('serveRepositories', { port: port2 }, operation, undefined, [port2], true);
    return new ServingThread(port1, running);
  }

  /** @throws what the command throws: `protocol` for arguments that cannot be, `lockHeld`, `unsupported`, `corrupt` */
  async ask(command: ServedCommand, signal: AbortSignal): Promise<ServedAnswer> {
    const id = this.count++;
    const close = () => this.port.postMessage({ type: 'close', id } satisfies ToServing);
    const forget = () => signal.removeEventListener('abort', close);
    signal.addEventListener('abort', close, { once: true });
    let answer: FromServing | undefined;
    try {
      answer = await this.post({ type: 'ask', id, ...command });
    } finally {
      if (answer?.type !== 'bundle') forget();
    }
    if (answer.type === 'answer') return { type: 'text', text: answer.text };
    if (answer.type !== 'bundle') throw protocolError(`The serving thread answered with ${answer.type}.`);
    return { type: 'bundle', info: answer.info, chunks: this.chunks(id, close, forget) };
  }

  /** Lets the thread go, once it has nothing more to do. */
  close(): void {
    this.port.close();
  }

  /** While a chunk is being sent, the next is being read: there are two slabs, which go back and forth. */
  private async *chunks(id: number, close: () => void, forget: () => void): AsyncGenerator<Uint8Array> {
    let next = this.post({ type: 'next', id });
    let isOver = false;
    try {
      for (let slab: ArrayBuffer | undefined; ;) {
        const message = await next;
        isOver = message.type === 'end';
        if (message.type !== 'chunk') return;
        next = this.post({ type: 'next', id, slab }, slab);
        next.catch(() => undefined);
        slab = message.slab;
        yield new Uint8Array(slab, 0, message.length);
      }
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      forget();
      if (!isOver) {
        this.waiting.delete(id);
        close();
      }
    }
  }

  private async post(message: ToServing & { id: number }, slab?: ArrayBuffer): Promise<FromServing> {
    if (this.failure !== undefined) throw this.failure;
    const answer = await new Promise<FromServing>((resolve, reject) => {
      this.waiting.set(message.id, { resolve, reject });
      this.port.postMessage(message, slab === undefined ? [] : [slab]);
    });
    if (answer.type === 'error') throw fromPlainError(answer.error);
    return answer;
  }
}
