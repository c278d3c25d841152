import type { IncomingMessage } from 'node:http';
import { cancelledError } from '../io/errors';
import { asNetworkError, stalledError } from './connectionErrors';

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The body of a response, pulled: the socket is not read while nobody asks, so back-pressure reaches the server. Whoever
 * stops iterating closes the connection, at once, even while a byte is being waited for or before the first was asked for.
 *
 * `next` throws `network` with the number of bytes when the body breaks off, or when nothing arrives for `stallTimeout`
 * milliseconds of waiting (time that the reader takes for itself does not count), and `cancelled` after `cancel`.
 */
export class ResponseBody implements AsyncIterableIterator<Uint8Array> {
  private taken = 0;
  private first: Uint8Array | undefined;
  private failure: Error | undefined;
  private isClosed = false;
  private wake: (() => void) | undefined;
  private readonly watchdog: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: IncomingMessage,
    private readonly address: string,
    stallTimeout: number,
  ) {
    const change = () => this.wake?.();
    response.on('readable', change).on('end', change);
    response.on('error', (error) => this.fail(error));
    response.on('close', () => {
      if (!response.readableEnded) this.fail(cutOff());
    });
    if (stallTimeout > 0) {
      // One timer for the whole body: setting one for each read would cost more than the reads.
      this.watchdog = setTimeout(() => {
        const waiting = this.wake;
        if (waiting === undefined) return;
        // What came while this thread was held is heard before the server is blamed.
        setImmediate(() => {
          if (this.wake === waiting) this.fail(stalledError(address, stallTimeout, this.arrived));
        });
      }, stallTimeout).unref();
    }
  }

  /** Puts bytes that were read already before those that follow. */
  startingWith(bytes: Uint8Array): this {
    if (bytes.length > 0) this.first = bytes;
    return this;
  }

  get closed(): boolean {
    return this.isClosed;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure;
      if (this.isClosed) return done;
      if (this.first !== undefined) return this.takeFirst(this.first);
      const bytes = this.response.read() as Buffer | null;
      if (bytes !== null) {
        this.taken += bytes.length;
        return { done: false, value: bytes };
      }
      if (this.response.readableEnded) {
        if (this.response.complete) return this.finish();
        this.fail(cutOff());
        continue;
      }
      await this.changed();
    }
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.close();
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends a body that is read, with a `cancelled` error. */
  cancel(): void {
    this.fail(cancelledError());
  }

  /** Ends a body that is read, with what went wrong on the way. The first failure counts. */
  fail(error: unknown): void {
    if (this.isClosed) return;
    this.failure = asNetworkError(error, this.address, this.arrived);
    this.close();
  }

  /** Lets the connection go. A body that was read to its end has left it to be used again. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.watchdog);
    this.response.destroy();
    this.wake?.();
  }

  /** Bytes that came, whether or not they have been taken. */
  private get arrived(): number {
    return this.taken + this.response.readableLength;
  }

  private takeFirst(bytes: Uint8Array): IteratorYieldResult<Uint8Array> {
    this.first = undefined;
    return { done: false, value: bytes };
  }

  private finish(): IteratorReturnResult<undefined> {
    this.isClosed = true;
    clearTimeout(this.watchdog);
    return done;
  }

  private async changed(): Promise<void> {
    this.watchdog?.refresh();
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
  }
}

function cutOff(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}
