import * as l10n from '@vscode/l10n';
import { streamChunk } from '../compression/chunkStream';
import { corruptError, unsupportedError } from '../io/errors';
import { writeAll } from '../io/writeAll';
import { parseFileText } from '../revlog/fileText';
import type { Rev } from '../revlog/node';
import { whyWithoutText } from '../revlog/revisionFlags';
import type { Revlog } from '../revlog/revlog';

/** Texts from this size on are not held in memory where that can be avoided. */
export const largeText = 1 << 20;

const longestMetadata = 1 << 20;
const mark = Buffer.from('\x01\n');

/**
 * Writes the content of a large file's revision to `file`. A revision that is stored whole goes there in pieces and is
 * hashed on the way; one that is a delta has to be put together in memory.
 *
 * @throws as `Revlog.text` does; what was written before is the caller's to remove
 */
export async function writeLargeFile(filelog: Revlog, rev: Rev, file: number): Promise<void> {
  const pieces = filelog.wholeChunkPieces(rev);
  if (pieces === undefined) writeAll(file, filelog.fileText(rev));
  else await streamWhole(filelog, rev, pieces, file);
}

async function streamWhole(filelog: Revlog, rev: Rev, pieces: Iterable<Uint8Array>, file: number): Promise<void> {
  const subject = filelog.describe(rev);
  const why = whyWithoutText(filelog.flags(rev));
  if (why !== undefined) throw unsupportedError(`${subject} ${why}.`, { subject: filelog.path });
  const promised = filelog.textLength(rev);
  const hash = filelog.hashHead(rev);
  const content = new ContentWriter(file, subject);
  let length = 0;
  const take = (bytes: Uint8Array): void => {
    length += bytes.length;
    if (length > promised) {
      throw corruptError(l10n.t('{0} holds more than the {1} bytes that it promised.', subject, promised), {
        subject: filelog.path,
      });
    }
    hash.update(bytes);
    content.write(bytes);
  };
  await streamChunk(pieces, take, subject);
  content.end();
  if (hash.digest('hex') !== filelog.node(rev)) throw filelog.mismatch(rev);
}

/** Holds back the beginning of a text until it is known where, behind what the history notes, its content begins. */
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
    if (this.isDecided(this.held)) this.release(this.held);
  }

  /** @throws `corrupt` when a note on the history did not end */
  end(): void {
    if (this.held !== undefined) this.release(this.held);
  }

  private isDecided(held: Buffer): boolean {
    if (held.length < mark.length) return false;
    const hasMetadata = held.subarray(0, mark.length).equals(mark);
    return !hasMetadata || held.includes(mark, mark.length) || held.length > longestMetadata;
  }

  private release(held: Buffer): void {
    this.held = undefined;
    writeAll(this.file, parseFileText(held, this.subject).content);
  }
}
