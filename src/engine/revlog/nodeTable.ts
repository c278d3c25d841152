import { randomBytes } from 'node:crypto';
import type { IndexFile } from './indexFile';

const nodeField = 32;
const nodeLength = 20;
const vacant = -1;

/** Numbers of this process alone, so that nobody can make an index whose nodes all fall on one place. */
const multipliers = new Int32Array(new Uint8Array(randomBytes(20)).buffer).map((number) => number | 1);

/**
 * Finds revisions by node: a table of revision numbers, one and a half to three of them (4 bytes) for each revision,
 * with open addressing. The nodes themselves stay in the index.
 */
export class NodeTable {
  private readonly slots: Int32Array;
  private readonly mask: number;
  private readonly seen = Buffer.alloc(nodeLength);

  constructor(private readonly index: IndexFile) {
    let size = 16;
    while (size < index.length * 1.5) size *= 2;
    this.slots = new Int32Array(size).fill(vacant);
    this.mask = size - 1;
    for (let rev = 0; rev < index.length; rev++) {
      index.copy(rev, nodeField, nodeLength, this.seen, 0);
      let slot = hash(this.seen, 0) & this.mask;
      while (this.slots[slot] !== vacant) slot = (slot + 1) & this.mask;
      this.slots[slot] = rev;
    }
  }

  /** The revision whose node is the 20 bytes at `at`; -1 when there is none. */
  find(bytes: Uint8Array, at: number): number {
    for (let slot = hash(bytes, at) & this.mask; this.slots[slot] !== vacant; slot = (slot + 1) & this.mask) {
      this.index.copy(this.slots[slot], nodeField, nodeLength, this.seen, 0);
      if (this.seen.compare(bytes, at, at + nodeLength) === 0) return this.slots[slot];
    }
    return vacant;
  }
}

function hash(bytes: Uint8Array, at: number): number {
  let sum = 0;
  for (let word = 0; word < 5; word++) {
    const from = at + word * 4;
    const value = bytes[from] | (bytes[from + 1] << 8) | (bytes[from + 2] << 16) | (bytes[from + 3] << 24);
    sum = (sum + Math.imul(value, multipliers[word])) | 0;
  }
  return sum ^ (sum >>> 15);
}
