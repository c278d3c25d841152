/** Of texts like the last one, no more than this many are kept, where they are not short: others are seldom asked for. */
const mostTexts = 24;
const alwaysKept = 1 << 20;

/** The last texts that were used, up to so many bytes; the one used longest ago goes first. */
export class TextCache {
  private readonly texts = new Map<number, Uint8Array>();
  private bytes = 0;

  /** @param dropped is told of texts that go because there is no room */
  constructor(
    private readonly mostBytes: number,
    private readonly dropped: (text: Uint8Array) => void = () => undefined,
  ) {}

  get(rev: number): Uint8Array | undefined {
    const text = this.texts.get(rev);
    if (text === undefined) return undefined;
    this.texts.delete(rev);
    this.texts.set(rev, text);
    return text;
  }

  add(rev: number, text: Uint8Array): void {
    const before = this.texts.get(rev);
    if (before !== undefined) {
      this.texts.delete(rev);
      this.bytes -= before.length;
    }
    this.texts.set(rev, text);
    this.bytes += text.length;
    const most = Math.min(this.mostBytes, Math.max(alwaysKept, mostTexts * text.length));
    for (const [oldest, old] of this.texts) {
      if (this.bytes <= most || oldest === rev) return;
      this.texts.delete(oldest);
      this.bytes -= old.length;
      this.dropped(old);
    }
  }
}
