import { closeSync, openSync, writeSync } from 'node:fs';
import { streamChunk } from '../compression/chunkStream';
import { corruptError } from '../io/errors';
import type { Rev } from '../revlog/node';
import type { RevisionFile } from './revisionFile';

/** Texts from this size on are not held in memory where that can be avoided. */
export const largeText = 1 << 20;

const longestMetadata = 1 << 20;
const mark = Buffer.from('\x01\n');

/**
 * The content of a file without what its history notes in front of it, such as where it was copied from: that is between
 * two marks of `\x01\n`.
 *
 * @throws `corrupt` when the second mark is missing
 */
export function withoutMetadata(text: Uint8Array, subject: string): Uint8Array {
  if (text[0] !== mark[0] || text[1] !== mark[1]) return text;
  const end = Buffer.from(text.buffer, text.byteOffset, text.length).indexOf(mark, mark.length);
  if (end < 0) throw corruptError(`${subject} begins with a note on its history that does not end.`, { subject });
  return text.subarray(end + mark.length);
}

/**
 * Writes the content of a large file's revision to `file`. A revision that is stored whole goes there in pieces and is
 * hashed on the way; one that is a delta has to be put together in memory.
 *
 * @throws as `RevisionFile.text` does; what was written before is the caller's to remove
 */
export async function writeLargeText(revisions: RevisionFile, rev: Rev, file: number): Promise<void> {
  const subject = revisions.describe(rev);
  const chunk = revisions.wholeChunk(rev);
  if (chunk === undefined) {
    writeAll(file, withoutMetadata(revisions.text(rev), subject));
    return;
  }
  const hash = revisions.hashHead(rev);
  const content = new ContentWriter(file, subject);
  let length = 0;
  const take = (bytes: Uint8Array): void => {
    length += bytes.length;
    if (length > chunk.textLength) {
      throw corruptError(`${subject} holds more than the ${chunk.textLength} bytes that it promised.`, { subject });
    }
    hash.update(bytes);
    content.write(bytes);
  };
  await streamChunk(chunk.pieces, take, subject);
  content.end();
  if (hash.digest('hex') !== revisions.node(rev)) throw revisions.mismatch(rev);
}

/** Writes all of `bytes`, however many calls it takes. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
}

/** Opens a file that must not be there, and closes it whatever happens. */
export async function writingNew<T>(
  path: string | Buffer,
  mode: number,
  write: (file: number) => Promise<T> | T,
): Promise<T> {
  const file = openSync(path, 'wx', mode);
  try {
    return await write(file);
  } finally {
    closeSync(file);
  }
}

/** Holds back the beginning of a text until it is known where its content begins. */
class ContentWriter {
  private held: Buffer | undefined = Buffer.alloc(0);

  constructor(
    private readonly file: number,
    private readonly subject: string,
  ) {}

  write(bytes: Uint8Array): void {
    if (this.held === undefined) {
      writeAll(this.file, bytes);
      return;
    }
    this.held = Buffer.concat([this.held, bytes]);
    const decided = this.held.length < mark.length ? undefined : this.contentStart(this.held);
    if (decided !== undefined) this.release(decided);
  }

  /** @throws `corrupt` when a note on the history did not end */
  end(): void {
    if (this.held === undefined) return;
    this.release(withoutMetadata(this.held, this.subject).byteOffset - this.held.byteOffset);
  }

  private contentStart(held: Buffer): number | undefined {
    if (!held.subarray(0, mark.length).equals(mark)) return 0;
    const end = held.indexOf(mark, mark.length);
    if (end < 0 && held.length > longestMetadata) withoutMetadata(held, this.subject);
    return end < 0 ? undefined : end + mark.length;
  }

  private release(start: number): void {
    const held = this.held;
    this.held = undefined;
    if (held !== undefined) writeAll(this.file, held.subarray(start));
  }
}
