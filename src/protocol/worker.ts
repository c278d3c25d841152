import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../engine/io/errors';
import type { LogLevel, ProgressEvent } from '../engine/io/operation';

/** From the main thread to a worker. A worker has one task at a time. */
export type ToWorker =
  | {
      type: 'run';
      task: string;
      args: unknown;
      /** The stream that the task reads, if it reads one. */
      input?: MessagePort;
      /** One 32-bit cell; not 0 once the task shall stop. Synchronous loops look at it. */
      cancelled: Int32Array<SharedArrayBuffer>;
    }
  | { type: 'cancel' };

/** From a worker to the main thread. */
export type FromWorker =
  | { type: 'progress'; events: ProgressEvent[] }
  | { type: 'log'; level: LogLevel; message: string }
  | { type: 'result'; value: unknown }
  | { type: 'error'; error: PlainError };
