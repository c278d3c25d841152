import { once } from 'node:events';

const flushAt = 64 * 1024;

/** Standard output for millions of lines: gathered into blocks, and no faster than the reader. */
export class LineOutput {
  private pending = '';

  /** Adds text. Wait for the promise when there is one. */
  write(text: string): Promise<void> | undefined {
    this.pending += text;
    return this.pending.length < flushAt ? undefined : this.flush();
  }

  async flush(): Promise<void> {
    const text = this.pending;
    this.pending = '';
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  }
}
