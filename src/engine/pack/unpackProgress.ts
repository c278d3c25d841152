import { throwIfCancelled, type Operation, type PhaseProgress } from '../io/operation';
import type { ObjectSink } from './objectSink';
import type { WriteRing } from './writeRing';

const entriesBetween = 128;
const millisecondsBetween = 50;

/** Tells how an unpacking goes, and watches its memory. Asked after every entry, it looks at the clock now and then. */
export class UnpackProgress {
  private sinceLast = 0;
  private last = 0;
  private peak = 0;
  private offset = 0;

  constructor(
    private readonly operation: Operation,
    private readonly ring: WriteRing,
    private readonly sink: ObjectSink,
    private readonly totalBytes: number | undefined,
    private readonly count: number,
  ) {
    this.tell('running');
  }

  atEntry(offset: number): void {
    this.offset = offset;
    if (++this.sinceLast >= entriesBetween) this.tick();
  }

  /** A piece of a large object passed: the clock matters more than the count. */
  atPiece(offset: number): void {
    this.offset = offset;
    this.tick();
  }

  /** The pack is read; what is left is to move the objects to their places. */
  read(offset: number): void {
    this.offset = offset;
    this.tell('done');
  }

  finish() {
    this.watchMemory();
    const { written, existing, bytes } = this.ring.counts;
    const [, commit, tree, blob, tag] = this.sink.kinds;
    const { entries } = this.sink;
    let objectBytes = 0;
    for (let entry = 0; entry < entries.count; entry++) objectBytes += entries.sizes[entry];
    this.operation.progress({ type: 'note', name: 'peak memory', value: this.peak });
    this.operation.progress({
      type: 'phase',
      phase: 'finish',
      state: 'done',
      done: written,
      total: written,
      unit: 'objects',
    });
    return {
      objects: entries.count,
      kinds: { commit, tree, blob, tag },
      written,
      existing,
      packBytes: this.offset,
      objectBytes,
      looseBytes: bytes,
      peakMemory: this.peak,
    };
  }

  private tick(): void {
    throwIfCancelled(this.operation);
    this.sinceLast = 0;
    const now = performance.now();
    if (now - this.last < millisecondsBetween) return;
    this.last = now;
    this.tell('running');
  }

  private tell(state: PhaseProgress['state']): void {
    const { progress } = this.operation;
    const { written, existing, bytes } = this.ring.counts;
    const [, commit, tree, blob, tag] = this.sink.kinds;
    this.watchMemory();
    progress({
      type: 'phase',
      phase: 'read',
      state,
      done: this.offset,
      total: this.totalBytes,
      unit: 'bytes',
      items: { done: this.sink.entries.count, total: this.count, unit: 'objects' },
    });
    const { resolved, waiting } = this.sink.deltas;
    progress({ type: 'phase', phase: 'resolve', state, done: resolved, total: resolved + waiting, unit: 'objects' });
    progress({
      type: 'phase',
      phase: 'write',
      state,
      done: written + existing,
      total: this.count,
      unit: 'objects',
      bytes,
    });
    progress({ type: 'note', name: 'kinds', value: `commit=${commit} tree=${tree} blob=${blob} tag=${tag}` });
    progress({ type: 'note', name: 'memory', value: this.peak });
  }

  private watchMemory(): void {
    this.peak = Math.max(this.peak, process.memoryUsage.rss());
  }
}
