import * as l10n from '@vscode/l10n';
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../../protocol/worker';
import { noBytes, sendBytes } from './byteChannel';
import { cancelledError, fromPlainError, protocolError } from './errors';
import { throwIfCancelled, type Operation } from './operation';
import type { TaskContext } from './taskServer';

/** The shape of a table of tasks: by name, what a task is given and what it gives back. */
export type TaskTable = Record<string, (args: never, context: never) => unknown>;
export type TaskArgs<T> = T extends (args: infer A, ...rest: never[]) => unknown ? A : never;
export type TaskResult<T> = T extends (...args: never[]) => infer R ? Awaited<R> : never;

const idleMilliseconds = 10_000;
const cancelGraceMilliseconds = 3_000;

/** How long the young generation of a worker may grow: small, since its work is on buffers outside the heap. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

/** How a {@link WorkerPool} is run. */
export interface WorkerPoolOptions<Tasks> {
  /** Most worker threads at a time. */
  limit?: number;
  /**
   * Lets this thread take a task whenever it has none: for a program whose main thread has nothing else to do, which so
   * does without the start of a thread and without sending bytes to it.
   */
  tasksHere?: () => Promise<Tasks>;
  /** The texts of the language that tasks speak; English when not given. */
  texts?: Record<string, string>;
}

/**
 * A few `worker_threads` that run tasks of one table. A worker runs one task at a time; more are started while all are
 * busy, up to a limit, and those that stay idle are ended.
 */
export class WorkerPool<Tasks extends TaskTable> {
  private readonly idle: PooledWorker[] = [];
  private readonly all = new Set<PooledWorker>();
  private readonly waiting: (() => void)[] = [];
  /** Tasks that others wait for: their threads are not counted, or nothing would be left for the others. */
  private awaited = 0;
  private disposed = false;
  private readonly limit: number;
  private readonly texts: Record<string, string> | undefined;
  /** The tasks that this thread may take, while it has none. */
  private tasksHere: (() => Promise<Tasks>) | undefined;

  /** How many tasks of one operation are worth running at once. */
  readonly parallelism: number;

  /** @param script the bundled file that calls `serveTasks` with the table. */
  constructor(
    private readonly script: string,
    { limit = Math.max(4, availableParallelism()), tasksHere, texts }: WorkerPoolOptions<Tasks> = {},
  ) {
    this.limit = limit;
    this.tasksHere = tasksHere;
    this.texts = texts;
    this.parallelism = Math.min(limit, availableParallelism());
  }

  /**
   * Runs one task, with the operation's progress, log and cancellation reaching across. A stream in `input` is sent to
   * the task with bounded memory; it is closed when the task ends, however it ends. `ports` are those among `args`, which
   * go over to the task. A task that `isAwaited` by another one that runs gets a thread at once, beyond the limit if need
   * be: it would wait for ever where all threads wait for such tasks.
   * @throws what the task throws, with its kind; `cancelled` when the operation was stopped.
   */
  async run<Name extends keyof Tasks & string>(
    task: Name,
    args: TaskArgs<Tasks[Name]>,
    operation: Operation,
    input?: AsyncIterable<Uint8Array>,
    ports: readonly MessagePort[] = [],
    isAwaited = false,
  ): Promise<TaskResult<Tasks[Name]>> {
    throwIfCancelled(operation);
    if (this.tasksHere !== undefined) return this.runHere(this.tasksHere, task, args, operation, input);
    this.awaited += isAwaited ? 1 : 0;
    try {
      const worker = await this.acquire(operation, isAwaited);
      try {
        return (await worker.run(task, args, operation, input, ports)) as TaskResult<Tasks[Name]>;
      } finally {
        this.release(worker);
      }
    } finally {
      this.awaited -= isAwaited ? 1 : 0;
    }
  }

  /** Starts threads for tasks that are to come, so that those need not wait: for while a server is asked. */
  prepare(tasks: number): void {
    const wanted = Math.min(tasks - (this.tasksHere === undefined ? 0 : 1), this.parallelism);
    while (!this.disposed && this.all.size < wanted) this.release(this.start());
  }

  /** Ends all workers; tasks that still run fail. */
  async dispose(): Promise<void> {
    this.disposed = true;
    await Promise.all([...this.all].map((worker) => worker.terminate()));
    this.all.clear();
    this.idle.length = 0;
  }

  private async runHere<Name extends keyof Tasks & string>(
    load: () => Promise<Tasks>,
    task: Name,
    args: TaskArgs<Tasks[Name]>,
    operation: Operation,
    input: AsyncIterable<Uint8Array> = noBytes(),
  ): Promise<TaskResult<Tasks[Name]>> {
    this.tasksHere = undefined;
    try {
      const context: TaskContext = { ...operation, input, transfer: () => undefined };
      return (await (await load())[task](args as never, context as never)) as TaskResult<Tasks[Name]>;
    } finally {
      this.tasksHere = load;
    }
  }

  private async acquire(operation: Operation, isAwaited: boolean): Promise<PooledWorker> {
    while (!this.disposed) {
      const worker = this.idle.pop();
      if (worker !== undefined) return worker.claim();
      if (isAwaited || this.all.size - this.awaited < this.limit) return this.start();
      await this.woken(operation.signal);
      if (!operation.signal.aborted) continue;
      // Whoever waits behind may have the worker.
      this.waiting.shift()?.();
      throw cancelledError();
    }
    throw cancelledError();
  }

  /** Resolves when a worker may be free, and when the wait is given up. */
  private async woken(signal: AbortSignal): Promise<void> {
    let wake: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      this.waiting.push(resolve);
      signal.addEventListener('abort', wake, { once: true });
    });
    signal.removeEventListener('abort', wake);
    const at = this.waiting.indexOf(wake);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  private start(): PooledWorker {
    const worker = new PooledWorker(this.script, this.texts, () => {
      this.all.delete(worker);
      const at = this.idle.indexOf(worker);
      if (at >= 0) this.idle.splice(at, 1);
      this.waiting.shift()?.();
    });
    this.all.add(worker);
    return worker;
  }

  private release(worker: PooledWorker): void {
    if (this.all.has(worker)) {
      this.idle.push(worker);
      worker.rest(idleMilliseconds);
    }
    this.waiting.shift()?.();
  }
}

class PooledWorker {
  private readonly worker: Worker;
  private idleTimer: NodeJS.Timeout | undefined;
  private settle: { onMessage: (message: FromWorker) => void; onExit: (error: Error) => void } | undefined;

  constructor(
    script: string,
    texts: Record<string, string> | undefined,
    private readonly onEnd: () => void,
  ) {
    // What the process was begun with is not meant for threads, and a loader of source files is slow to start.
    this.worker = new Worker(script, { resourceLimits, workerData: { texts }, execArgv: [] });
    this.worker.on('message', (message: FromWorker) => this.settle?.onMessage(message));
    this.worker.on('error', (error) => {
      onEnd();
      this.settle?.onExit(error);
    });
    this.worker.on('exit', (code) => {
      onEnd();
      this.settle?.onExit(protocolError(l10n.t('A worker thread ended with code {0}.', code)));
    });
  }

  claim(): this {
    clearTimeout(this.idleTimer);
    this.worker.ref();
    return this;
  }

  /** Lets the process end while this worker has nothing to do, and the worker itself after a while. */
  rest(milliseconds: number): void {
    this.worker.unref();
    this.idleTimer = setTimeout(() => {
      // Given up at once: until its thread has ended, it would be taken for one that can work.
      this.onEnd();
      void this.worker.terminate();
    }, milliseconds).unref();
  }

  async terminate(): Promise<void> {
    clearTimeout(this.idleTimer);
    await this.worker.terminate();
  }

  async run(
    task: string,
    args: unknown,
    operation: Operation,
    input: AsyncIterable<Uint8Array> | undefined,
    ports: readonly MessagePort[],
  ): Promise<unknown> {
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const channel = input === undefined ? undefined : new MessageChannel();
    const sending = input === undefined || channel === undefined ? undefined : sendBytes(input, channel.port1);
    let grace: NodeJS.Timeout | undefined;
    const onAbort = () => {
      Atomics.store(cancelled, 0, 1);
      this.post({ type: 'cancel' });
      // A task that does not stop by itself is ended with its thread.
      grace = setTimeout(() => void this.worker.terminate(), cancelGraceMilliseconds);
    };
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.settle = {
          onExit: (error) => reject(operation.signal.aborted ? cancelledError() : error),
          onMessage: (message) => {
            if (message.type === 'progress') message.events.forEach(operation.progress);
            else if (message.type === 'log') operation.log(message.level, message.message);
            else if (message.type === 'result') resolve(message.value);
            else reject(fromPlainError(message.error));
          },
        };
        operation.signal.addEventListener('abort', onAbort, { once: true });
        this.post(
          { type: 'run', task, args, cancelled, input: channel?.port2 },
          channel === undefined ? ports : [...ports, channel.port2],
        );
      });
    } finally {
      clearTimeout(grace);
      operation.signal.removeEventListener('abort', onAbort);
      this.settle = undefined;
      channel?.port1.close();
      await sending;
    }
  }

  private post(message: ToWorker, transfer: readonly MessagePort[] = []): void {
    this.worker.postMessage(message, transfer);
  }
}
