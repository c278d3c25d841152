import { throwIfCancelled, type Operation } from '../io/operation';
import type { Node } from './node';
import { hashText } from './nodeOfText';

/** Shorter texts are hashed sooner than they are handed over; longer ones find no room. */
const shortest = 16 * 1024;
const slotSize = 2 << 20;
const slotCount = 6;
/** Three nodes in hex: of the text, and of its parents. */
const nodeLength = 40;
const headLength = 3 * nodeLength;

/** Cells of the control memory, before two for each slot. */
const wake = 0;
const helper = 1;
const wrongSlot = 2;
const firstSlot = 4;
const state = 0;
const length = 1;

const free = 0;
const full = 1;
const checking = 2;

/** Whether another thread is there. */
const absent = 0;
const present = 1;
const dismissed = 2;

/** The memory that the two threads share. */
export interface CheckMemory {
  control: SharedArrayBuffer;
  slots: SharedArrayBuffer;
}

export function newCheckMemory(): CheckMemory {
  return {
    control: new SharedArrayBuffer((firstSlot + slotCount * 2) * Int32Array.BYTES_PER_ELEMENT),
    slots: new SharedArrayBuffer(slotCount * slotSize),
  };
}

/**
 * Long texts on their way from the thread that puts them together to one that hashes them, in slots of shared memory.
 * While all slots are full, or no other thread is there, whoever has a text checks it: nobody waits for the other.
 */
export class CheckRing {
  private readonly control: Int32Array;
  private readonly bytes: Buffer;

  constructor({ control, slots }: CheckMemory) {
    this.control = new Int32Array(control);
    this.bytes = Buffer.from(slots);
  }

  /** The node of a text that is not what it stands for, once one was found. */
  get wrong(): Node | undefined {
    const found = Atomics.load(this.control, wrongSlot);
    return found === 0 ? undefined : this.nodeIn(found - 1, 0);
  }

  /** Copies a text that is to be checked by the other thread; false when it has to be checked here. */
  offer(node: Node, p1: Node, p2: Node, text: Uint8Array): boolean {
    if (text.length < shortest || headLength + text.length > slotSize) return false;
    if (Atomics.load(this.control, helper) !== present) return false;
    const slot = this.first(free);
    if (slot < 0) return false;
    const at = slot * slotSize;
    this.bytes.write(node + p1 + p2, at, 'latin1');
    this.bytes.set(text, at + headLength);
    Atomics.store(this.control, cell(slot, length), text.length);
    Atomics.store(this.control, cell(slot, state), full);
    this.notify();
    return true;
  }

  /** Lends a hand until all texts are checked. Gives {@link wrong}. */
  settle(): Node | undefined {
    while (this.wrong === undefined) {
      const seen = Atomics.load(this.control, wake);
      if (this.checkOne(full)) continue;
      if (this.first(checking) < 0) break;
      if (Atomics.load(this.control, helper) === present) Atomics.wait(this.control, wake, seen, 20);
      // The other thread has left something half done.
      else this.checkOne(checking);
    }
    return this.wrong;
  }

  /** What the other thread does, until it is dismissed. @throws `cancelled` */
  serve(operation: Pick<Operation, 'signal'>): void {
    Atomics.compareExchange(this.control, helper, absent, present);
    try {
      while (Atomics.load(this.control, helper) === present && this.wrong === undefined) {
        throwIfCancelled(operation);
        const seen = Atomics.load(this.control, wake);
        if (!this.checkOne(full)) Atomics.wait(this.control, wake, seen, 200);
      }
    } finally {
      this.dismiss();
    }
  }

  /** Sends the other thread home, or says that it is gone: what it had not finished is left to this one. */
  dismiss(): void {
    Atomics.store(this.control, helper, dismissed);
    this.notify();
  }

  /** Checks the text of a slot in that state, if there is one. A wrong one stays where it is. */
  private checkOne(from: number): boolean {
    const slot = this.first(from);
    if (slot < 0) return false;
    if (Atomics.compareExchange(this.control, cell(slot, state), from, checking) !== from) return true;
    const at = slot * slotSize + headLength;
    const text = this.bytes.subarray(at, at + Atomics.load(this.control, cell(slot, length)));
    const isRight = hashText(this.nodeIn(slot, 1), this.nodeIn(slot, 2), text) === this.nodeIn(slot, 0);
    if (isRight) Atomics.store(this.control, cell(slot, state), free);
    else Atomics.compareExchange(this.control, wrongSlot, 0, slot + 1);
    this.notify();
    return true;
  }

  private nodeIn(slot: number, which: number): Node {
    const at = slot * slotSize + which * nodeLength;
    return this.bytes.toString('latin1', at, at + nodeLength) as Node;
  }

  private first(wanted: number): number {
    for (let slot = 0; slot < slotCount; slot++) {
      if (Atomics.load(this.control, cell(slot, state)) === wanted) return slot;
    }
    return -1;
  }

  private notify(): void {
    Atomics.add(this.control, wake, 1);
    Atomics.notify(this.control, wake);
  }
}

function cell(slot: number, which: number): number {
  return firstSlot + slot * 2 + which;
}

/** Worker task: checks the texts that another thread puts into the ring, until it is dismissed. */
export function checkTextsInRing(memory: CheckMemory, operation: Operation): void {
  new CheckRing(memory).serve(operation);
}
