/** The last texts that were used, up to so many bytes; the one used longest ago goes first. */
export class TextCache {
  private readonly texts = new Map<number, Uint8Array>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

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
    for (const [oldest, dropped] of this.texts) {
      if (this.bytes <= this.mostBytes || oldest === rev) return;
      this.texts.delete(oldest);
      this.bytes -= dropped.length;
    }
  }
}
