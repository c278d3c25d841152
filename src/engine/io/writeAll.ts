import { writeSync } from 'node:fs';

/** Writes all of `bytes`, at `position` or at the file's place: a system call may write less than it was given. */
export function writeAll(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let at = 0; at < bytes.length;) {
    at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at);
  }
}
