import { ContentFile, type Content } from './content';

/** A delta whose base has not come yet. */
export interface PendingDelta {
  entry: number;
  /** The base: an entry of the pack that waits itself, or a name in hexadecimal digits. */
  base: number | string;
  take: () => Content;
}

/**
 * Deltas that wait for their base. They are kept in memory up to a bound, and beyond it in one temporary file: a pack
 * may have all of its bases at the end.
 */
export class PendingDeltas implements Disposable {
  private readonly waiting = new Map<number | string, PendingDelta[]>();
  private spill: ContentFile | undefined;
  private bytes = 0;
  count = 0;

  constructor(
    private readonly scratch: string,
    private readonly mostBytes: number,
  ) {}

  add(entry: number, base: number | string, delta: Content): void {
    const pending = { entry, base, take: delta instanceof ContentFile ? () => delta : this.keep(delta) };
    const others = this.waiting.get(base);
    if (others === undefined) this.waiting.set(base, [pending]);
    else others.push(pending);
    this.count++;
  }

  /** The deltas that wait for an entry or for a name; they wait no more. */
  release(base: number | string): PendingDelta[] {
    const released = this.waiting.get(base) ?? [];
    this.waiting.delete(base);
    this.count -= released.length;
    return released;
  }

  /** One that still waits for a name; entries that wait for entries follow from those. */
  first(): PendingDelta | undefined {
    let found: PendingDelta | undefined;
    for (const [pending] of this.waiting.values()) {
      if (
        found === undefined ||
        typeof found.base === 'number' ||
        (typeof pending.base === 'string' && pending.entry < found.entry)
      ) {
        found = pending;
      }
    }
    return found;
  }

  [Symbol.dispose](): void {
    for (const pendings of this.waiting.values()) {
      for (const pending of pendings) {
        // Only content that is a file of its own must be let go.
        const content = pending.take();
        if (content instanceof ContentFile) content[Symbol.dispose]();
      }
    }
    this.waiting.clear();
    this.spill?.[Symbol.dispose]();
  }

  private keep(delta: Uint8Array): () => Content {
    if (this.bytes + delta.length <= this.mostBytes) {
      this.bytes += delta.length;
      return () => {
        this.bytes -= delta.length;
        return delta;
      };
    }
    const spill = (this.spill ??= new ContentFile(this.scratch));
    const at = spill.size;
    const { length } = delta;
    spill.append(delta);
    return () => spill.read(at, length);
  }
}
