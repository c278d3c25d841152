import * as l10n from '@vscode/l10n';
import type { Hash } from 'node:crypto';
import { EngineError } from '../io/errors';
import type { PackSource } from './packSource';

/**
 * Bytes that the window holds: enough that a small object lies in it whole, which lets the fast one-shot inflate be
 * used, and few enough to be forgotten in the memory of a process.
 */
export const windowSize = 1 << 20;

/**
 * A sliding window over a pack: the bytes from `at` to `end` of `buffer` are there to be read, and `fill` slides it on.
 * What was used is hashed by the run, not by the entry, for the checksum at the pack's end.
 */
export class PackWindow {
  readonly buffer: Uint8Array<ArrayBuffer>;
  at = 0;
  end = 0;
  /** Offset in the pack of the buffer's first byte. */
  private bufferOffset = 0;
  private hashedTo = 0;
  private hash: Hash | undefined;
  private ended = false;

  constructor(
    private readonly source: PackSource,
    /** Whether bytes that are missing were lost on a network or in a file. */
    private readonly origin: 'network' | 'corrupt' = 'corrupt',
    size = windowSize,
  ) {
    this.buffer = new Uint8Array(size);
  }

  get name(): string {
    return this.source.name;
  }

  /** Where the next unread byte is in the pack. */
  get offset(): number {
    return this.bufferOffset + this.at;
  }

  get available(): number {
    return this.end - this.at;
  }

  /** Counts offsets from the next byte on, and hashes all that is used from there: a pack begins. */
  beginPack(hash: Hash | undefined): void {
    this.bufferOffset = -this.at;
    this.hashedTo = this.at;
    this.hash = hash;
  }

  /** The checksum of all that was used since `beginPack`. */
  digest(): Uint8Array {
    this.hashUsed();
    const digest = this.hash?.digest();
    this.hash = undefined;
    return digest ?? new Uint8Array(0);
  }

  /** Slides so that `wanted` bytes can be read in one piece, if the source has as many; reads on as far as there is room. */
  async fill(wanted: number): Promise<void> {
    if (this.available >= wanted || this.ended) return;
    this.hashUsed();
    this.buffer.copyWithin(0, this.at, this.end);
    this.bufferOffset += this.at;
    this.end -= this.at;
    this.at = 0;
    this.hashedTo = 0;
    while (this.end < wanted && !this.ended) {
      const read = this.source.read(this.buffer, this.end, this.buffer.length);
      const length = typeof read === 'number' ? read : await read;
      if (length === 0) this.ended = true;
      this.end += length;
    }
  }

  /** The error for a pack that ends where more was due. */
  endedEarly(what: string): EngineError {
    const offset = this.bufferOffset + this.end;
    const advice =
      this.origin === 'network'
        ? l10n.t('The connection was probably cut. Try again.')
        : l10n.t('The file is incomplete: fetch or copy it again.');
    return new EngineError(this.origin, l10n.t('{0} ended after {1} bytes, inside {2}.', this.name, offset, what), {
      subject: this.name,
      offset,
      advice,
    });
  }

  private hashUsed(): void {
    if (this.hash !== undefined && this.at > this.hashedTo) {
      this.hash.update(this.buffer.subarray(this.hashedTo, this.at));
    }
    this.hashedTo = this.at;
  }
}
