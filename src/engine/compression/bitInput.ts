import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';

/** Zeros behind what is there, so that a peek at the end finds no bits instead of nothing. */
const margin = 4;

/**
 * Bits of a stream, the most significant first. What is ahead is brought in by `ahead`, which may wait; reading itself
 * never does, so that tight loops need no promises.
 */
export class BitInput {
  private readonly source: AsyncIterator<Uint8Array>;
  private bytes = new Uint8Array(margin);
  private length = 0;
  private at = 0;
  private isEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Whether `count` bytes can be read without waiting, or no more will come. */
  has(count: number): boolean {
    return this.isEnded || this.length - (this.at >>> 3) >= count;
  }

  /** Brings in bytes until {@link has} holds. */
  async ahead(count: number): Promise<void> {
    while (!this.has(count)) {
      const next = await this.source.next();
      if (next.done === true) this.isEnded = true;
      else this.append(next.value);
    }
  }

  /** The next `count` bits, at most 25. Those behind the end are zeros, and noticed when they are skipped. */
  peek(count: number): number {
    const { bytes, at } = this;
    const byte = at >>> 3;
    const word = (bytes[byte] << 24) | (bytes[byte + 1] << 16) | (bytes[byte + 2] << 8) | bytes[byte + 3];
    return (word << (at & 7)) >>> (32 - count);
  }

  /** @throws `corrupt` when the stream ends before */
  skip(count: number): void {
    this.at += count;
    if (this.at > this.length * 8) throw corruptError(l10n.t('it ends early'));
  }

  /** Takes `count` bits, 1 to 25. */
  read(count: number): number {
    const bits = this.peek(count);
    this.skip(count);
    return bits;
  }

  /** Takes 32 bits. */
  readWord(): number {
    const high = this.read(16);
    return high * 0x10000 + this.read(16);
  }

  /** Passes over what is left of a byte. */
  align(): void {
    this.at = (this.at + 7) & ~7;
  }

  async atEnd(): Promise<boolean> {
    await this.ahead(1);
    return this.at >>> 3 >= this.length;
  }

  async close(): Promise<void> {
    await this.source.return?.();
  }

  private append(more: Uint8Array): void {
    const from = this.at >>> 3;
    const left = this.length - from;
    if (left + more.length + margin > this.bytes.length) {
      const grown = new Uint8Array(left + more.length + margin);
      grown.set(this.bytes.subarray(from, this.length));
      this.bytes = grown;
    } else {
      this.bytes.copyWithin(0, from, this.length);
    }
    this.bytes.set(more, left);
    this.length = left + more.length;
    this.bytes.fill(0, this.length, this.length + margin);
    this.at &= 7;
  }
}
