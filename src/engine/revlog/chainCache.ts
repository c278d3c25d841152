import { chainBuffers } from './chainColumns';
import { chunkPathOf, signature, type ChainDetail, type ChainReading, type RevlogSource } from './readChainColumns';

const mostBytes = 512 << 20;

/**
 * Chains that were read before, for as long as the files of their revlog are as they were: same size, time and place on
 * disk. Holds up to 512 MB of columns, the last used; a reading that is larger alone is not kept.
 */
export class ChainCache {
  private readonly readings = new Map<string, { reading: ChainReading; state: string; bytes: number }>();
  private bytes = 0;

  constructor(private readonly limit = mostBytes) {}

  /**
   * The chains of a revlog, from memory where they are there and still true.
   * @param read gives them anew: in a worker, or here
   */
  async get(
    source: RevlogSource,
    detail: ChainDetail,
    read: () => Promise<ChainReading> | ChainReading,
  ): Promise<ChainReading> {
    const key = JSON.stringify([source.path, source.isSparse, detail]);
    const state = `${signature(source.path)} ${signature(chunkPathOf(source))}`;
    const known = this.readings.get(key);
    if (known !== undefined) this.forget(key, known.bytes);
    if (known?.state === state) {
      this.keep(key, known);
      return known.reading;
    }
    const reading = await read();
    const bytes = chainBuffers(reading.columns).reduce((sum, buffer) => sum + buffer.byteLength, 0);
    // What changed meanwhile is not what was read.
    const isSteady = reading.faultCounts.changed === undefined;
    if (isSteady && bytes <= this.limit) this.keep(key, { reading, state, bytes });
    return reading;
  }

  private keep(key: string, entry: { reading: ChainReading; state: string; bytes: number }): void {
    this.readings.set(key, entry);
    this.bytes += entry.bytes;
    for (const [oldest, { bytes }] of this.readings) {
      if (this.bytes <= this.limit) break;
      this.forget(oldest, bytes);
    }
  }

  private forget(key: string, bytes: number): void {
    if (this.readings.delete(key)) this.bytes -= bytes;
  }
}
