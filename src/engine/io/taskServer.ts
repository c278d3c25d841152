import * as l10n from '@vscode/l10n';
import { parentPort, type MessagePort, type Transferable } from 'node:worker_threads';
import type { FromWorker, ToWorker } from '../../protocol/worker';
import { noBytes, receiveBytes } from './byteChannel';
import { protocolError, toPlainError } from './errors';
import type { Operation, ProgressEvent } from './operation';

/** What a task is given beside its arguments. */
export interface TaskContext extends Operation {
  /** The stream that was sent along; empty when there was none. */
  input: AsyncIterable<Uint8Array>;
  /** Marks memory of the result as to be moved to the main thread instead of copied. */
  transfer: (...buffers: ArrayBuffer[]) => void;
}

export type Task = (args: never, context: TaskContext) => unknown;

const progressMilliseconds = 50;

/** Serves the tasks of a table to the pool on the main thread, for as long as the worker lives. */
export function serveTasks(tasks: Record<string, Task>): void {
  const port = parentPort;
  if (port === null) throw new Error('Tasks are served from a worker thread.');
  let abort = new AbortController();
  port.on('message', (message: ToWorker) => {
    if (message.type === 'cancel') abort.abort();
    else {
      abort = new AbortController();
      void runTask(tasks, message, abort, port);
    }
  });
}

async function runTask(
  tasks: Record<string, Task>,
  request: Extract<ToWorker, { type: 'run' }>,
  abort: AbortController,
  port: MessagePort,
): Promise<void> {
  const post = (message: FromWorker, transfer: Transferable[] = []) => port.postMessage(message, transfer);
  const progress = new ProgressOutlet((events) => post({ type: 'progress', events }));
  const transfer: ArrayBuffer[] = [];
  const context: TaskContext = {
    signal: sharedSignal(abort, request.cancelled),
    progress: (event) => progress.add(event),
    log: (level, message) => post({ type: 'log', level, message }),
    input: request.input === undefined ? noBytes() : receiveBytes(request.input),
    transfer: (...buffers) => transfer.push(...buffers),
  };
  try {
    const task = Object.hasOwn(tasks, request.task) ? tasks[request.task] : undefined;
    if (task === undefined) throw protocolError(l10n.t('There is no task {0}.', request.task));
    const value = await task(request.args as never, context);
    progress.flush();
    post({ type: 'result', value }, transfer);
  } catch (error) {
    progress.flush();
    post({ type: 'error', error: toPlainError(error) });
  } finally {
    // A task that failed before it read its input leaves the port open otherwise.
    request.input?.close();
  }
}

/**
 * A signal whose `aborted` also sees the shared cell: a synchronous loop cannot receive a message, but it can look.
 */
function sharedSignal(abort: AbortController, cancelled: Int32Array): AbortSignal {
  return Object.defineProperty(abort.signal, 'aborted', { get: () => Atomics.load(cancelled, 0) !== 0 });
}

/** Collects progress so that the main thread is told a few times a second, however often the task speaks. */
class ProgressOutlet {
  private readonly pending = new Map<string, ProgressEvent>();
  private last = 0;

  constructor(private readonly send: (events: ProgressEvent[]) => void) {}

  add(event: ProgressEvent): void {
    this.pending.set(event.type === 'phase' ? `phase ${event.phase}` : `${event.type} ${this.pending.size}`, event);
    const now = performance.now();
    if (now - this.last < progressMilliseconds && !(event.type === 'phase' && event.state === 'done')) return;
    this.last = now;
    this.flush();
  }

  flush(): void {
    if (this.pending.size === 0) return;
    this.send([...this.pending.values()]);
    this.pending.clear();
  }
}
