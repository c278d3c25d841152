import * as l10n from '@vscode/l10n';
import { corruptError, EngineError } from './errors';

const empty = new Uint8Array(0);

/**
 * A pull-based reader over a stream of chunks. It holds one chunk at a time, plus what a caller asks to have in one
 * piece: memory is bounded by the largest `read`.
 *
 * Reads that the current chunk can answer cost no copy and no promise when the caller looks at `buffered` first:
 * `if (reader.buffered >= n) bytes = reader.take(n)`.
 */
export class ByteReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private chunk: Uint8Array = empty;
  private position = 0;
  private consumed = 0;
  private ended = false;

  /**
   * @param name what the stream is, for errors: `stream clone`, `bundle file`.
   * @param origin a stream off the network that ends early was cut (`network`); a file that does is `corrupt`.
   */
  constructor(
    source: AsyncIterable<Uint8Array>,
    readonly name: string,
    private readonly origin: 'network' | 'corrupt' = 'corrupt',
  ) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Bytes handed out so far. */
  get offset(): number {
    return this.consumed;
  }

  /** Bytes that can be taken without waiting. */
  get buffered(): number {
    return this.chunk.length - this.position;
  }

  /** The next `length` bytes, which must be buffered. The view is valid until the next call that may wait. */
  take(length: number): Uint8Array {
    const bytes = this.chunk.subarray(this.position, this.position + length);
    this.position += length;
    this.consumed += length;
    return bytes;
  }

  /**
   * The next `length` bytes in one piece.
   * @throws an error of the stream's origin, with the offset, when the stream ends before.
   */
  async read(length: number): Promise<Uint8Array> {
    if (this.buffered >= length) return this.take(length);
    const bytes = await this.gather(length);
    if (bytes.length < length) throw this.endedEarly(length - bytes.length);
    return bytes;
  }

  /** Up to `limit` bytes, at least one unless the stream has ended: whatever is there, without a copy. */
  async readSome(limit: number): Promise<Uint8Array> {
    if (this.buffered === 0 && !(await this.advance())) return empty;
    return this.take(Math.min(limit, this.buffered));
  }

  /** The next bytes up to and including `end`, without it. @throws `corrupt` when more than `limit` bytes come before. */
  async readUntil(end: number, limit: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      if (this.buffered === 0 && !(await this.advance())) throw this.endedEarly(1);
      const found = this.chunk.indexOf(end, this.position);
      const available = (found < 0 ? this.chunk.length : found) - this.position;
      length += available;
      if (length > limit) {
        throw corruptError(
          l10n.t('The {0} has a line of more than {1} bytes at offset {2}.', this.name, limit, this.offset),
          {
            subject: this.name,
            offset: this.offset,
          },
        );
      }
      parts.push(this.take(available).slice());
      if (found >= 0) break;
    }
    this.take(1);
    return parts.length === 1 ? parts[0] : concatenate(parts, length);
  }

  /** True when no byte is left. */
  async atEnd(): Promise<boolean> {
    return this.buffered === 0 && !(await this.advance());
  }

  /** Passes over `length` bytes without keeping them. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      const bytes = await this.readSome(left);
      if (bytes.length === 0) throw this.endedEarly(left);
      left -= bytes.length;
    }
  }

  /** Lets the source go: a socket is closed, a file handle released. */
  async close(): Promise<void> {
    this.ended = true;
    this.chunk = empty;
    this.position = 0;
    await this.source.return?.();
  }

  /** The error for a stream that ended although `missing` more bytes were due. */
  endedEarly(missing: number): Error {
    const offset = this.offset + this.buffered;
    const message = l10n.t('The {0} ended after {1} bytes; at least {2} more were due.', this.name, offset, missing);
    const advice = this.origin === 'network' ? l10n.t('The connection was probably cut. Try again.') : undefined;
    return new EngineError(this.origin, message, { subject: this.name, offset, advice });
  }

  private async advance(): Promise<boolean> {
    while (!this.ended) {
      const next = await this.source.next();
      if (next.done === true) this.ended = true;
      else if (next.value.length > 0) {
        this.chunk = next.value;
        this.position = 0;
        return true;
      }
    }
    return false;
  }

  /** Collects across chunk ends. Growth follows the bytes that came, so a lying length costs no memory. */
  private async gather(length: number): Promise<Uint8Array> {
    let bytes = new Uint8Array(Math.min(length, Math.max(4096, this.buffered)));
    let filled = 0;
    while (filled < length) {
      const some = await this.readSome(length - filled);
      if (some.length === 0) break;
      if (filled + some.length > bytes.length) {
        const grown = new Uint8Array(Math.min(length, Math.max(bytes.length * 2, filled + some.length)));
        grown.set(bytes.subarray(0, filled));
        bytes = grown;
      }
      bytes.set(some, filled);
      filled += some.length;
    }
    return bytes.subarray(0, filled);
  }
}

/** Joins chunks whose lengths add up to `length`. */
export function concatenate(parts: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
