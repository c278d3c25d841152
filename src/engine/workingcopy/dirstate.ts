import * as l10n from '@vscode/l10n';
import { closeSync, openSync, renameSync, writeSync, fstatSync } from 'node:fs';
import { corruptError } from '../io/errors';
import { nodeAt, nullNode, type Node } from '../revlog/node';

/** How a file stands, by the letter that the dirstate has for it: normal, added, removed, merged. */
export type DirstateState = 'n' | 'a' | 'r' | 'm';

/** One file of a dirstate. */
export interface DirstateEntry {
  /** Bytes as Latin-1. */
  path: string;
  state: DirstateState;
  /** Unix mode bits with the file's kind. */
  mode: number;
  /** Bytes; -1 not known, -2 from the other parent of a merge. */
  size: number;
  /** Seconds since 1970; -1 not known: the file has to be compared. */
  mtime: number;
  copySource?: string;
}

export interface Dirstate {
  parents: readonly [Node, Node];
  entries: DirstateEntry[];
}

const parentsLength = 40;
const entryHead = 17;
const bufferLength = 256 * 1024;
const unknown = -1;

/**
 * Parses a dirstate, version 1: two parents of 20 bytes; for each file a letter, three signed 4-byte numbers (mode, size,
 * mtime), the length of the name, the name, which may hold NUL and the name that it was copied from. All big-endian.
 *
 * @throws `corrupt` with the offset of an entry that cannot be
 */
export function parseDirstate(bytes: Uint8Array, subject = 'dirstate'): Dirstate {
  if (bytes.length === 0) return { parents: [nullNode, nullNode], entries: [] };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < parentsLength) throw malformed(subject, 0);
  const entries: DirstateEntry[] = [];
  for (let at = parentsLength; at < bytes.length;) {
    const nameStart = at + entryHead;
    const nameEnd = nameStart <= bytes.length ? nameStart + text.readUInt32BE(at + 13) : Infinity;
    const state = String.fromCharCode(bytes[at]);
    if (nameEnd > bytes.length || !isState(state)) throw malformed(subject, at);
    const [path, copySource] = text.toString('latin1', nameStart, nameEnd).split('\0');
    if (path === '') throw malformed(subject, at);
    entries.push({
      path,
      state,
      mode: text.readInt32BE(at + 1),
      size: text.readInt32BE(at + 5),
      mtime: text.readInt32BE(at + 9),
      copySource,
    });
    at = nameEnd;
  }
  return { parents: [nodeAt(text, 0), nodeAt(text, 20)], entries };
}

/**
 * Writes a dirstate, version 1, beside its place and renames it there when it is whole. Entries go through one buffer of
 * 256 kB, however many they are.
 *
 * A file that changed in the second in which the dirstate is written could change once more in that second without a
 * trace. Such a file's time is left out, so that the next `hg status` compares its content; that is what Mercurial does.
 * The clock is the file system's own, read off the new file.
 */
export class DirstateWriter implements Disposable {
  private readonly buffer = Buffer.allocUnsafe(bufferLength);
  private file: number;
  private readonly now: number;
  private filled = 0;

  constructor(
    private readonly path: string,
    parents: readonly [Node, Node],
  ) {
    this.file = openSync(`${path}.new`, 'w');
    this.filled += this.buffer.write(parents[0] + parents[1], 'hex');
    this.flush();
    this.now = Math.floor(fstatSync(this.file).mtimeMs / 1000);
  }

  /**
   * Adds a file as it was checked out.
   * @param text where the name's bytes are, from `start` to `end`
   * @param mode the file's mode bits, with its kind
   * @param size in bytes
   * @param mtime in whole seconds
   */
  addNormal(text: Uint8Array, start: number, end: number, mode: number, size: number, mtime: number): void {
    const needed = entryHead + end - start;
    if (this.filled + needed > this.buffer.length) this.flush();
    if (needed > this.buffer.length)
      throw corruptError(l10n.t('A file name of {0} bytes cannot be.', end - start), { subject: this.path });
    const { buffer, filled } = this;
    buffer[filled] = 0x6e;
    buffer.writeInt32BE(mode, filled + 1);
    // Sizes count modulo 2 GiB, as in Mercurial: the field is signed.
    buffer.writeInt32BE(size % 2 ** 31, filled + 5);
    buffer.writeInt32BE(mtime >= this.now || mtime < 0 ? unknown : mtime % 2 ** 31, filled + 9);
    buffer.writeInt32BE(end - start, filled + 13);
    for (let from = start, to = filled + entryHead; from < end; from++, to++) buffer[to] = text[from];
    this.filled += needed;
  }

  /** Closes the file. Unless it was committed, the dirstate stays as it was. */
  [Symbol.dispose](): void {
    if (this.file >= 0) closeSync(this.file);
    this.file = -1;
  }

  /** Writes what is left and puts the file in its place. */
  commit(): void {
    this.flush();
    this[Symbol.dispose]();
    renameSync(`${this.path}.new`, this.path);
  }

  private flush(): void {
    for (let at = 0; at < this.filled;) at += writeSync(this.file, this.buffer, at, this.filled - at);
    this.filled = 0;
  }
}

function isState(letter: string): letter is DirstateState {
  return 'narm'.includes(letter);
}

function malformed(subject: string, offset: number): Error {
  return corruptError(l10n.t('{0} has no entry at offset {1}.', subject, offset), { subject, offset });
}
