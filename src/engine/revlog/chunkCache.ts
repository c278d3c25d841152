/** Of one generation; what an entry costs beside its bytes is counted too. */
const bytesInGeneration = 32 << 20;
const entryCost = 128;

/**
 * Decoded chunks by revision, up to 64 MB: random revisions of one history share most of their chains. Two generations
 * take the place of an order of use: what is asked for moves to the younger, and when that is full the older one goes.
 */
export class ChunkCache {
  private young = new Map<number, Uint8Array>();
  private old = new Map<number, Uint8Array>();
  private youngBytes = 0;

  get(rev: number): Uint8Array | undefined {
    const found = this.young.get(rev);
    if (found !== undefined) return found;
    const older = this.old.get(rev);
    if (older !== undefined) this.keep(rev, older);
    return older;
  }

  /** Keeps a copy: a small chunk may be a view of a large block. */
  add(rev: number, bytes: Uint8Array): void {
    if (bytes.length <= bytesInGeneration / 4) this.keep(rev, Buffer.from(bytes));
  }

  private keep(rev: number, bytes: Uint8Array): void {
    if (this.youngBytes + bytes.length + entryCost > bytesInGeneration) {
      this.old = this.young;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.young.set(rev, bytes);
    this.youngBytes += bytes.length + entryCost;
  }
}
