import type { ObjectFormat } from './objectFormat';
import type { ObjectKind } from './objectKind';

/**
 * What is known of each entry of a pack while it is unpacked, in columns: a pack has millions of entries, and a record
 * for each would cost ten times the memory. The columns grow with the entries that came, whatever the header claims.
 */
export class EntryTable {
  /** Where each entry begins in the pack; rises. */
  offsets = new Float64Array(1024);
  /** The kind of each resolved object, 0 for a delta that still waits. */
  kinds = new Uint8Array(1024);
  /** The bytes of each resolved object. */
  sizes = new Float64Array(1024);
  /** In which batch each object went to be written; 0 for those that are written already. */
  batches = new Int32Array(1024);
  private names: Uint8Array;
  count = 0;

  constructor(private readonly format: ObjectFormat) {
    this.names = new Uint8Array(1024 * format.nameLength);
  }

  /** Begins an entry; its other columns are filled when it is resolved. */
  add(offset: number): number {
    if (this.count === this.offsets.length) this.grow();
    this.offsets[this.count] = offset;
    return this.count++;
  }

  setName(entry: number, name: Uint8Array): void {
    this.names.set(name, entry * this.format.nameLength);
  }

  name(entry: number): Uint8Array {
    const { nameLength } = this.format;
    return this.names.subarray(entry * nameLength, (entry + 1) * nameLength);
  }

  isResolved(entry: number): boolean {
    return this.kinds[entry] !== 0;
  }

  /** The names of all entries, one after the other. */
  get allNames(): Uint8Array {
    return this.names;
  }

  /** Only for resolved entries. */
  kind(entry: number): ObjectKind {
    return this.kinds[entry] as ObjectKind;
  }

  /** The entry that begins at `offset`, or -1 where none does. */
  atOffset(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if (this.offsets[middle] < offset) low = middle + 1;
      else high = middle - 1;
    }
    return low < this.count && this.offsets[low] === offset ? low : -1;
  }

  private grow(): void {
    const capacity = this.offsets.length * 2;
    this.offsets = grown(this.offsets, new Float64Array(capacity));
    this.kinds = grown(this.kinds, new Uint8Array(capacity));
    this.sizes = grown(this.sizes, new Float64Array(capacity));
    this.batches = grown(this.batches, new Int32Array(capacity));
    this.names = grown(this.names, new Uint8Array(capacity * this.format.nameLength));
  }
}

function grown<Column extends { set: (from: Column) => void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
