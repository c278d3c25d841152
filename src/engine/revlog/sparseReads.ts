import { throwIfCancelled, type Operation } from '../io/operation';
import { linearDistance, sizeColumn, type ChainColumns, type SparseColumns } from './chainColumns';

/** Reading goes on across gaps while at least this part of what is read is of use. */
const wantedDensity = 0.5;
/** Gaps up to this are always read across, in bytes. Found by asking hg of gaps of every size. */
const smallestGap = 66_560;
const revsBetweenChecks = 1 << 16;
/** Steps along chains, after which a history is beyond measuring: no real one comes near. */
const mostSteps = 20_000_000_000;

/**
 * Works out what a sparse read of each chain reads: the stretch from its first chunk to its last one, without its largest
 * gaps, leaving out as few as it takes for half of what is read to be of use. That is what `hg debugdeltachain` 6.3.2
 * says of made-up indexes.
 *
 * A revision on a dense chain costs one step, another as many as there are large gaps on its chain. Undefined when those
 * come to more than can be waited for.
 */
export function measureSparseReads(columns: ChainColumns, operation: Operation): SparseColumns | undefined {
  const { count, chainSizes } = columns;
  const reads = new SparseReads(columns);
  for (let rev = 0; rev < count; rev++) {
    if (rev % revsBetweenChecks === 0) {
      throwIfCancelled(operation);
      if (reads.steps > mostSteps) return undefined;
      operation.progress({
        type: 'phase',
        phase: 'analyse',
        state: 'running',
        done: rev,
        total: count,
        unit: 'revisions',
      });
    }
    const span = linearDistance(columns, rev);
    reads.link(rev);
    if (span <= 0 || chainSizes[rev] >= span * wantedDensity) reads.whole(rev, span);
    else reads.slice(rev, span);
  }
  operation.progress({ type: 'phase', phase: 'analyse', state: 'done', done: count, total: count, unit: 'revisions' });
  return reads.columns;
}

class SparseReads {
  readonly columns: SparseColumns;
  steps = 0;
  /** The nearest revision down the chain, or the revision itself, that has a chunk with bytes; -1 for none. */
  private readonly filled: Int32Array;
  /** The nearest one down the chain, or the revision itself, that has a large gap before it; -1 for none. */
  private readonly gapped: Int32Array;
  /** The large gaps of one chain, from its end: the revision after each, and a heap of their places by size. */
  private gapRevs = new Int32Array(64);
  private gapSizes = new Float64Array(64);
  private heap = new Int32Array(64);
  private isLeftOut = new Uint8Array(64);

  constructor(private readonly chains: ChainColumns) {
    const { count, chunkBytes, offsets, chunkLengths } = chains;
    const last = count === 0 ? 0 : offsets[count - 1] + chunkLengths[count - 1];
    const largest = Math.max(chunkBytes, last);
    this.columns = {
      readSizes: sizeColumn(count, largest),
      largestBlocks: sizeColumn(count, largest),
      blockCounts: new Int32Array(count),
    };
    this.filled = new Int32Array(count);
    this.gapped = new Int32Array(count);
  }

  /** Takes note of the gap before a revision; to be called for each in order. */
  link(rev: number): void {
    const { chunkLengths, deltaParents } = this.chains;
    const parent = deltaParents[rev];
    this.filled[rev] = chunkLengths[rev] > 0 ? rev : parent < 0 ? -1 : this.filled[parent];
    this.gapped[rev] = this.gapBefore(rev) > smallestGap ? rev : parent < 0 ? -1 : this.gapped[parent];
  }

  /** One stretch. */
  whole(rev: number, span: number): void {
    this.columns.readSizes[rev] = span;
    this.columns.largestBlocks[rev] = span;
    this.columns.blockCounts[rev] = 1;
  }

  /** As many stretches as it takes. */
  slice(rev: number, span: number): void {
    const count = this.collectGaps(rev);
    this.steps += count;
    if (count === 0) {
      this.whole(rev, span);
      return;
    }
    this.leaveOut(count, span, this.chains.chainSizes[rev]);
    this.measure(rev, count);
  }

  /** Bytes between a chunk and the one before it on its chain; 0 where one of them is empty. */
  private gapBefore(rev: number): number {
    const { offsets, chunkLengths, deltaParents } = this.chains;
    const parent = deltaParents[rev];
    if (parent < 0 || chunkLengths[rev] === 0) return 0;
    const before = this.filled[parent];
    return before < 0 ? 0 : offsets[rev] - offsets[before] - chunkLengths[before];
  }

  private collectGaps(rev: number): number {
    const { deltaParents } = this.chains;
    let count = 0;
    for (let at = this.gapped[rev]; at >= 0; at = this.gapped[deltaParents[at]]) {
      if (count === this.gapRevs.length) this.makeRoom();
      this.gapRevs[count] = at;
      this.gapSizes[count] = this.gapBefore(at);
      this.isLeftOut[count] = 0;
      count++;
    }
    return count;
  }

  /** Marks the largest gaps, until what is read is dense enough. */
  private leaveOut(count: number, span: number, payload: number): void {
    let size = 0;
    for (let gap = 0; gap < count; gap++) this.pushGap(gap, size++);
    for (let read = span; size > 0 && payload < read * wantedDensity; size--) {
      const gap = this.heap[0];
      this.isLeftOut[gap] = 1;
      read -= this.gapSizes[gap];
      this.popGap(size - 1);
    }
  }

  /** Adds up the stretches between the gaps that are left out, from the chain's end. */
  private measure(rev: number, count: number): void {
    const { offsets, chunkLengths, chainBases, chainIds } = this.chains;
    const last = this.filled[rev];
    let end = offsets[last] + chunkLengths[last];
    let readSize = 0;
    let largest = 0;
    let blocks = 0;
    const add = (start: number) => {
      readSize += end - start;
      largest = Math.max(largest, end - start);
      blocks++;
    };
    for (let gap = 0; gap < count; gap++) {
      if (this.isLeftOut[gap] === 0) continue;
      const start = offsets[this.gapRevs[gap]];
      add(start);
      end = start - this.gapSizes[gap];
    }
    add(offsets[chainBases[chainIds[rev] - 1]]);
    this.columns.readSizes[rev] = readSize;
    this.columns.largestBlocks[rev] = largest;
    this.columns.blockCounts[rev] = blocks;
  }

  private isLarger(gap: number, other: number): boolean {
    return this.gapSizes[gap] > this.gapSizes[other] || (this.gapSizes[gap] === this.gapSizes[other] && gap < other);
  }

  private pushGap(gap: number, at: number): void {
    const { heap } = this;
    let place = at;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.isLarger(gap, heap[above])) break;
      heap[place] = heap[above];
      place = above;
    }
    heap[place] = gap;
  }

  /** Takes the largest off a heap that is `size` large afterwards. */
  private popGap(size: number): void {
    const { heap } = this;
    const gap = heap[size];
    let place = 0;
    for (;;) {
      let below = place * 2 + 1;
      if (below >= size) break;
      if (below + 1 < size && this.isLarger(heap[below + 1], heap[below])) below++;
      if (!this.isLarger(heap[below], gap)) break;
      heap[place] = heap[below];
      place = below;
    }
    heap[place] = gap;
  }

  private makeRoom(): void {
    const room = this.gapRevs.length * 2;
    const wider = <T extends Int32Array | Float64Array | Uint8Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.gapRevs = wider(this.gapRevs, new Int32Array(room));
    this.gapSizes = wider(this.gapSizes, new Float64Array(room));
    this.isLeftOut = wider(this.isLeftOut, new Uint8Array(room));
    this.heap = new Int32Array(room);
  }
}
