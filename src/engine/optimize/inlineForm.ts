import * as l10n from '@vscode/l10n';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { asDestinationError, corruptError } from '../io/errors';
import { writeAll } from '../io/writeAll';
import { writeHeader } from '../revlog/revlogEntry';
import { entryLength } from '../revlog/revlogHeader';

const blockLength = 1 << 20;
const generaldelta = 0x2_0000;

/**
 * Writes a revlog with its chunks between its entries: in one file, which can take another's place in one step. Whatever
 * its size, a block at a time is in memory.
 *
 * @see `hg help internals.revlogs`
 * @throws `corrupt` when the chunks end before the index says so, `destination` when the disk does not take it
 */
export function writeInlineForm(index: string, chunks: string, inline: string): void {
  const from = { index: openSync(index, 'r'), chunks: existsSync(chunks) ? openSync(chunks, 'r') : undefined };
  const target = openSync(inline, 'w');
  try {
    const block = new WrittenBlock(target);
    const entries = Buffer.allocUnsafe(blockLength);
    let isFirst = true;
    for (let count = 1; count > 0;) {
      count = readSync(from.index, entries, 0, blockLength, null);
      for (let at = 0; at + entryLength <= count; at += entryLength) {
        if (isFirst) writeHeader(entries, 0, true, (entries.readUInt32BE(0) & generaldelta) !== 0);
        isFirst = false;
        block.add(entries.subarray(at, at + entryLength));
        block.addFrom(from.chunks, entries.readUInt32BE(at + 8), chunks);
      }
    }
    block.write();
  } catch (error) {
    throw asDestinationError(error, inline);
  } finally {
    closeSync(from.index);
    if (from.chunks !== undefined) closeSync(from.chunks);
    closeSync(target);
  }
}

/** What waits to be written to a file. */
class WrittenBlock {
  private readonly bytes = Buffer.allocUnsafe(blockLength);
  private filled = 0;

  constructor(private readonly file: number) {}

  add(bytes: Uint8Array): void {
    if (this.filled + bytes.length > blockLength) this.write();
    this.bytes.set(bytes, this.filled);
    this.filled += bytes.length;
  }

  /** Takes so many bytes from where another file is at. */
  addFrom(file: number | undefined, length: number, name: string): void {
    for (let left = length; left > 0;) {
      if (this.filled === blockLength) this.write();
      const most = Math.min(left, blockLength - this.filled);
      const count = file === undefined ? 0 : readSync(file, this.bytes, this.filled, most, null);
      if (count === 0) throw corruptError(l10n.t('{0} ends before its index says so.', name), { subject: name });
      this.filled += count;
      left -= count;
    }
  }

  write(): void {
    writeAll(this.file, this.bytes.subarray(0, this.filled));
    this.filled = 0;
  }
}
