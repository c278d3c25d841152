import * as l10n from '@vscode/l10n';
import type { PlainError } from '../io/errors';
import { fromPlainError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { LooseWriter, WriteCounts } from './looseWriter';

/** Bytes of a slot, and records in it at most: large enough to pay for a wake-up, small enough to share out. */
const slotSize = 512 * 1024;
const recordsPerSlot = 256;
const slotCount = 8;

const recordHead = 8;

/** Cells of the control memory. */
const wake = 0;
const phase = 1;
const failed = 2;
const nextFanout = 3;
const written = 4;
const existing = 5;
const fanoutsDone = 6;
const firstSlot = 8;

/** Cells of a slot, from `firstSlot + slot * slotCells`. */
const slotCells = 4;
const state = 0;
const sequence = 1;
const records = 2;

const free = 0;
const filling = 1;
const full = 2;
const emptying = 3;

/** What the ring does: at 0 it takes objects in, then it moves them to their places, and then nothing more. */
const releasing = 1;
const closed = 2;

/** The memory that the threads of one unpacking share. */
export interface RingMemory {
  control: SharedArrayBuffer;
  slots: SharedArrayBuffer;
  /** Bytes of written files; a 64-bit count. */
  bytes: SharedArrayBuffer;
  /** The first error of a writing thread, as JSON. */
  fault: SharedArrayBuffer;
}

export function newRingMemory(): RingMemory {
  return {
    control: new SharedArrayBuffer((firstSlot + slotCount * slotCells) * 4),
    slots: new SharedArrayBuffer(slotCount * slotSize),
    bytes: new SharedArrayBuffer(8),
    fault: new SharedArrayBuffer(16 * 1024),
  };
}

/**
 * Objects on their way from the thread that reads a pack to those that write files: slots of shared memory that are
 * filled by one and emptied by any, without a copy or a message. The reading thread lends a hand when all slots are
 * full, so the ring also works when no writing thread came.
 */
export class WriteRing {
  /** The memory of all slots; a reserved record is filled here, from `at`. */
  readonly bytes: Uint8Array;
  at = 0;
  private readonly control: Int32Array;
  private readonly view: DataView;
  private readonly byteCount: BigInt64Array;
  private current = -1;
  private end = 0;
  private recordCount = 0;
  /** What of the writer's counts the others know. */
  private readonly shared: WriteCounts = { written: 0, existing: 0, bytes: 0 };
  private lastSequence = 0;

  constructor(
    private readonly memory: RingMemory,
    private readonly writer: LooseWriter,
    private readonly operation: Pick<Operation, 'signal'>,
  ) {
    this.bytes = new Uint8Array(memory.slots);
    this.view = new DataView(memory.slots);
    this.control = new Int32Array(memory.control);
    this.byteCount = new BigInt64Array(memory.bytes);
  }

  /** The batch that the last reserved record is part of. */
  get batch(): number {
    return this.lastSequence;
  }

  /** Objects and bytes written so far, and objects that were there before. */
  get counts(): WriteCounts {
    return {
      written: Atomics.load(this.control, written),
      existing: Atomics.load(this.control, existing),
      bytes: Number(Atomics.load(this.byteCount, 0)),
    };
  }

  /**
   * Makes room for an object of `length` bytes and writes its head; the caller then fills `bytes` from `at`.
   * @returns false when an object of that length does not go through the ring.
   * @throws what a writing thread failed with.
   */
  reserve(name: Uint8Array, length: number, isDeflated: boolean): boolean {
    const needed = recordHead + name.length + length;
    if (needed > slotSize) return false;
    if (this.current >= 0 && (this.at + needed > this.end || this.recordCount >= recordsPerSlot)) this.flush();
    if (this.current < 0) this.openSlot();
    this.view.setUint32(this.at, length);
    this.view.setUint8(this.at + 4, isDeflated ? 1 : 0);
    this.view.setUint8(this.at + 5, name.length);
    this.bytes.set(name, this.at + recordHead);
    this.at += recordHead + name.length;
    this.recordCount++;
    return true;
  }

  /** Writes an object in this thread: one that no slot can hold. */
  writeNow(name: Uint8Array, parts: readonly Uint8Array[], isDeflated: boolean): void {
    this.writer.write(name, parts, isDeflated);
    this.shareCounts();
  }

  /** Passes on what was filled. */
  flush(): void {
    if (this.current < 0) return;
    this.set(this.current, records, this.recordCount);
    this.set(this.current, state, full);
    this.current = -1;
    this.notify();
  }

  /** Waits until a batch is written, helping meanwhile. */
  waitFor(batch: number): void {
    if (this.current >= 0 && this.get(this.current, sequence) === batch) this.flush();
    while (this.isUnderWay(batch)) this.help();
  }

  /** Waits until everything is written. */
  drain(): void {
    this.flush();
    while (this.any((slot) => this.get(slot, state) !== free)) this.help();
    this.throwFault();
  }

  /** Shares out the 256 fan-out folders: `release` is called for each, in one thread or another. */
  releaseAll(release: (first: number) => void): void {
    Atomics.store(this.control, phase, releasing);
    this.notify();
    this.releaseSome(release);
    while (Atomics.load(this.control, fanoutsDone) < 256) {
      this.throwFault();
      throwIfCancelled(this.operation);
      this.sleep(5);
    }
  }

  /** Sends the writing threads home. */
  close(): void {
    Atomics.store(this.control, phase, closed);
    this.notify();
  }

  /** What a writing thread does: empty slots, then release folders, until the ring is closed. */
  serve(release: (first: number) => void): void {
    for (;;) {
      throwIfCancelled(this.operation);
      const seen = Atomics.load(this.control, wake);
      const now = Atomics.load(this.control, phase);
      if (now === closed || Atomics.load(this.control, failed) !== 0) return;
      if (now === releasing) {
        this.releaseSome(release);
        return;
      }
      if (!this.writeOne()) Atomics.wait(this.control, wake, seen, 200);
    }
  }

  /** Keeps the first fault of a thread for the others to see. */
  fail(fault: PlainError): void {
    if (Atomics.compareExchange(this.control, failed, 0, 1) !== 0) return;
    const text = new TextEncoder().encode(JSON.stringify({ ...fault, stack: undefined }));
    const target = new Uint8Array(this.memory.fault);
    if (text.length < target.length - 4) {
      target.set(text, 4);
      new DataView(this.memory.fault).setUint32(0, text.length);
    }
    Atomics.store(this.control, failed, 2);
    this.notify();
  }

  /** @throws what another thread failed with. */
  throwFault(): void {
    if (Atomics.load(this.control, failed) === 0) return;
    while (Atomics.load(this.control, failed) === 1) this.sleep(1);
    const length = new DataView(this.memory.fault).getUint32(0);
    const text = new TextDecoder().decode(new Uint8Array(this.memory.fault).slice(4, 4 + length));
    throw fromPlainError(
      text === '' ? { message: l10n.t('A writing thread failed.') } : (JSON.parse(text) as PlainError),
    );
  }

  private openSlot(): void {
    for (;;) {
      this.throwFault();
      for (let slot = 0; slot < slotCount; slot++) {
        if (this.get(slot, state) !== free) continue;
        this.set(slot, state, filling);
        this.set(slot, sequence, ++this.lastSequence);
        this.current = slot;
        this.at = slot * slotSize;
        this.end = this.at + slotSize;
        this.recordCount = 0;
        return;
      }
      this.help();
    }
  }

  /** Writes one full slot's objects, or waits a moment for those that others write. */
  private help(): void {
    this.throwFault();
    throwIfCancelled(this.operation);
    const seen = Atomics.load(this.control, wake);
    if (!this.writeOne() && this.any((slot) => this.get(slot, state) === emptying)) {
      Atomics.wait(this.control, wake, seen, 20);
    }
  }

  private writeOne(): boolean {
    for (let slot = 0; slot < slotCount; slot++) {
      const cell = firstSlot + slot * slotCells + state;
      if (Atomics.compareExchange(this.control, cell, full, emptying) !== full) continue;
      this.writeSlot(slot);
      Atomics.store(this.control, cell, free);
      this.notify();
      return true;
    }
    return false;
  }

  private writeSlot(slot: number): void {
    let at = slot * slotSize;
    for (let left = this.get(slot, records); left > 0; left--) {
      const length = this.view.getUint32(at);
      const isDeflated = this.view.getUint8(at + 4) === 1;
      const nameEnd = at + recordHead + this.view.getUint8(at + 5);
      const name = this.bytes.subarray(at + recordHead, nameEnd);
      this.writer.write(name, [this.bytes.subarray(nameEnd, nameEnd + length)], isDeflated);
      at = nameEnd + length;
    }
    this.shareCounts();
  }

  /** Makes what this thread's writer did since the last time part of the common counts. */
  shareCounts(): void {
    const { counts } = this.writer;
    const { shared } = this;
    Atomics.add(this.control, written, counts.written - shared.written);
    Atomics.add(this.control, existing, counts.existing - shared.existing);
    Atomics.add(this.byteCount, 0, BigInt(counts.bytes - shared.bytes));
    Object.assign(shared, counts);
  }

  private releaseSome(release: (first: number) => void): void {
    for (;;) {
      const first = Atomics.add(this.control, nextFanout, 1);
      if (first >= 256) return;
      release(first);
      Atomics.add(this.control, fanoutsDone, 1);
      this.notify();
    }
  }

  private isUnderWay(batch: number): boolean {
    return this.any((slot) => this.get(slot, sequence) === batch && this.get(slot, state) !== free);
  }

  private any(test: (slot: number) => boolean): boolean {
    for (let slot = 0; slot < slotCount; slot++) if (test(slot)) return true;
    return false;
  }

  private get(slot: number, cell: number): number {
    return Atomics.load(this.control, firstSlot + slot * slotCells + cell);
  }

  private set(slot: number, cell: number, value: number): void {
    Atomics.store(this.control, firstSlot + slot * slotCells + cell, value);
  }

  private notify(): void {
    Atomics.add(this.control, wake, 1);
    Atomics.notify(this.control, wake);
  }

  private sleep(milliseconds: number): void {
    Atomics.wait(this.control, wake, Atomics.load(this.control, wake), milliseconds);
  }
}
