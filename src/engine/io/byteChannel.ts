import * as l10n from '@vscode/l10n';
import type { MessagePort } from 'node:worker_threads';
import { fromPlainError, networkError, toPlainError, type PlainError } from './errors';

/** Memory that travels: a channel owns `slabCount` of these, which go back and forth and are never copied by a post. */
const slabSize = 256 * 1024;
const slabCount = 6;

type ToReceiver =
  { type: 'bytes'; slab: ArrayBuffer; length: number } | { type: 'end' } | { type: 'error'; error: PlainError };
type ToSender = { type: 'slab'; slab: ArrayBuffer } | { type: 'stop' };

/**
 * Sends a stream through `port` to the thread that calls {@link receiveBytes} on the other end. The memory in flight is
 * bounded: when the receiver has not given a slab back, the source is not read, and back-pressure reaches the socket.
 *
 * A slab is sent when it is full, or as it is when the receiver has nothing to do: throughput on a fast line, no delay
 * on a slow one. The bytes of a source are gathered into slabs rather than transferred themselves, since those that
 * come from a socket share one buffer with their neighbours, which a transfer would take away from the socket.
 *
 * Resolves when the receiver has been sent everything, or wants no more; an error of the source is passed to the
 * receiver, where it belongs.
 */
export async function sendBytes(source: AsyncIterable<Uint8Array>, port: MessagePort): Promise<void> {
  const free: ArrayBuffer[] = Array.from({ length: slabCount }, () => new ArrayBuffer(slabSize));
  let slab: ArrayBuffer | undefined;
  let filled = 0;
  let stopped = false;
  let wake: () => void = () => undefined;

  const post = (message: ToReceiver, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  const flush = () => {
    if (slab === undefined || filled === 0) return;
    post({ type: 'bytes', slab, length: filled }, [slab]);
    slab = undefined;
    filled = 0;
  };
  port.on('message', (message: ToSender) => {
    if (message.type === 'stop') stopped = true;
    else {
      free.push(message.slab);
      const receiverIsIdle = free.length + (slab === undefined ? 0 : 1) === slabCount;
      if (receiverIsIdle) flush();
    }
    wake();
  });
  port.on('close', () => {
    stopped = true;
    wake();
  });

  const iterator = source[Symbol.asyncIterator]();
  /** The next bytes, or undefined when there are no more or the receiver wants none: it need not wait for an idle source. */
  const next = () =>
    new Promise<Uint8Array | undefined>((resolve, reject) => {
      wake = () => (isStopped() ? resolve(undefined) : undefined);
      wake();
      iterator.next().then((result) => resolve(result.done === true ? undefined : result.value), reject);
    });

  try {
    for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
      for (let at = 0; at < bytes.length;) {
        while (slab === undefined && free.length === 0 && !isStopped()) {
          await new Promise<void>((resolve) => (wake = resolve));
        }
        if (isStopped()) return;
        slab ??= free.pop();
        if (slab === undefined) continue;
        const length = Math.min(slabSize - filled, bytes.length - at);
        new Uint8Array(slab, filled, length).set(bytes.subarray(at, at + length));
        filled += length;
        at += length;
        if (filled === slabSize || free.length === slabCount - 1) flush();
      }
    }
    if (isStopped()) return;
    flush();
    post({ type: 'end' });
  } catch (error) {
    post({ type: 'error', error: toPlainError(error) });
  } finally {
    // A source that is waiting for its other side may never answer this, so nobody waits for the answer.
    if (isStopped()) iterator.return?.().catch(() => undefined);
    // The port is the receiver's to close: what was posted last must still arrive.
    port.unref();
  }

  function isStopped(): boolean {
    return stopped;
  }
}

/**
 * The stream that {@link sendBytes} sends on the other end of `port`. Each view is valid until the next is asked for;
 * then its memory goes back to the sender.
 */
export async function* receiveBytes(port: MessagePort): AsyncGenerator<Uint8Array> {
  const arrived: ToReceiver[] = [];
  let wake: () => void = () => undefined;
  let closed = false;
  port.on('message', (message: ToReceiver) => {
    arrived.push(message);
    wake();
  });
  port.on('close', () => {
    closed = true;
    wake();
  });
  try {
    for (;;) {
      while (arrived.length === 0 && !isClosed()) await new Promise<void>((resolve) => (wake = resolve));
      const message = arrived.shift();
      if (message === undefined) throw networkError(l10n.t('The other thread closed the stream.'));
      if (message.type === 'end') return;
      if (message.type === 'error') throw fromPlainError(message.error);
      yield new Uint8Array(message.slab, 0, message.length);
      port.postMessage({ type: 'slab', slab: message.slab } satisfies ToSender, [message.slab]);
    }
  } finally {
    if (!isClosed()) {
      port.postMessage({ type: 'stop' } satisfies ToSender);
      port.close();
    }
  }

  function isClosed(): boolean {
    return closed;
  }
}

/** The stream of a task that is sent none. */
export async function* noBytes(): AsyncGenerator<Uint8Array> {
  // There is nothing in it.
}
