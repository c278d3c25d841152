/** Something that is wrong in a repository, as a sentence. */
export interface VerifyFault {
  /** The store's name of the history, `data/PATH.i`; bytes as Latin-1. */
  history: string;
  /** The revision in it, where the fault is about one. */
  rev?: number;
  message: string;
}

/** So many faults are told; the others are counted. */
const mostTold = 1000;

/** The faults that were found, the first ones in full. */
export class VerifyFaults {
  readonly told: VerifyFault[] = [];
  count = 0;

  add(history: string, message: string, rev?: number): void {
    this.count++;
    if (this.told.length < mostTold) this.told.push({ history, message, rev });
  }

  addAll({ told, count }: { told: readonly VerifyFault[]; count: number }): void {
    this.count += count;
    this.told.push(...told.slice(0, mostTold - this.told.length));
  }
}
