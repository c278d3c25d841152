import { writeSync } from 'node:fs';

/** Writes all of `bytes` at the file's place, however many calls it takes. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
}
