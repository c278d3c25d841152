/**
 * A growing set of object names with the order they came in: one run of bytes and an open-addressing table of positions
 * in it. Names are hashes, so their first four bytes serve as the table's hash. No allocation per name.
 */
export class NameTable {
  private names: Uint8Array;
  private slots = new Int32Array(2048).fill(-1);
  private used = 0;

  constructor(readonly nameLength: number) {
    this.names = new Uint8Array(1024 * nameLength);
  }

  get count(): number {
    return this.used;
  }

  /** The position of the name at `at`, or -1. */
  find(bytes: Uint8Array, at = 0): number {
    return this.slots[this.slotOf(bytes, at)];
  }

  /** The position of the name at `at`, which is `count - 1` when it is new. */
  add(bytes: Uint8Array, at = 0): number {
    const slot = this.slotOf(bytes, at);
    if (this.slots[slot] >= 0) return this.slots[slot];
    const position = this.used++;
    const { nameLength } = this;
    if (this.used * nameLength > this.names.length) {
      const grown = new Uint8Array(this.names.length * 2);
      grown.set(this.names);
      this.names = grown;
    }
    for (let byte = 0; byte < nameLength; byte++) this.names[position * nameLength + byte] = bytes[at + byte];
    this.slots[slot] = position;
    if (this.used * 2 > this.slots.length) this.rehash();
    return position;
  }

  /** A view of one name. */
  at(position: number): Uint8Array {
    return this.names.subarray(position * this.nameLength, (position + 1) * this.nameLength);
  }

  private slotOf(bytes: Uint8Array, at: number): number {
    const { slots, names, nameLength } = this;
    const mask = slots.length - 1;
    let slot = (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) & mask;
    for (;;) {
      const position = slots[slot];
      if (position < 0) return slot;
      let same = 0;
      const begin = position * nameLength;
      while (same < nameLength && names[begin + same] === bytes[at + same]) same++;
      if (same === nameLength) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private rehash(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    for (let position = 0; position < this.used; position++) {
      this.slots[this.slotOf(this.names, position * this.nameLength)] = position;
    }
  }
}
