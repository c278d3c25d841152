/** What can be wrong with an entry of an index, or with the index as a whole. */
export type FaultKind =
  | 'base'
  | 'parent'
  | 'pastEnd'
  | 'gap'
  | 'flags'
  | 'length'
  | 'kind'
  | 'chunk'
  | 'hash'
  | 'cutShort'
  | 'noChunks'
  | 'changed'
  | 'unreadable';

/** One thing that is wrong. */
export interface Fault {
  kind: FaultKind;
  /** Where; undefined when it is the index as a whole. */
  rev?: number;
  /** What was found there, as a sentence. */
  message: string;
}

/** A damaged index may have a fault in each of millions of entries. */
const mostOfAKind = 50;

/** The faults of a revlog: the first of each kind, and how many there are. */
export class Faults {
  readonly first: Fault[] = [];
  readonly counts: Partial<Record<FaultKind, number>> = {};

  /** @param message not asked for once there are many of the kind */
  add(kind: FaultKind, rev: number | undefined, message: () => string): void {
    const count = (this.counts[kind] ?? 0) + 1;
    this.counts[kind] = count;
    if (count <= mostOfAKind) this.first.push({ kind, rev, message: message() });
  }
}
