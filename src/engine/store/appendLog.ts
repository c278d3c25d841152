import { closeSync, openSync } from 'node:fs';
import { writeAll } from '../io/writeAll';

/** A small file that only grows, a line at a time; each line is with the system when `append` returns. */
export class AppendLog {
  private file: number;

  /** Makes the file, or empties it. */
  constructor(path: string, begin: string) {
    this.file = openSync(path, 'w');
    if (begin !== '') this.append(begin);
  }

  /** @param line bytes as Latin-1 */
  append(line: string): void {
    writeAll(this.file, Buffer.from(line, 'latin1'));
  }

  close(): void {
    if (this.file >= 0) closeSync(this.file);
    this.file = -1;
  }
}
