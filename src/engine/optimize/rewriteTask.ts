import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { sourceTexts, storeAgain } from '../compare/storedAgain';
import type { SizedRevlog } from '../compare/shares';
import { zstdReady } from '../compression/block';
import { asDestinationError, corruptError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { writeAll } from '../io/writeAll';
import type { Rev } from '../revlog/node';
import type { DeltaSettings } from '../revlog/policy/deltaSettings';
import { whyWithoutText } from '../revlog/revisionFlags';
import { Revlog } from '../revlog/revlog';
import { writeHeader } from '../revlog/revlogEntry';
import { RevlogFiles } from '../revlog/revlogFiles';
import { entryLength } from '../revlog/revlogHeader';
import { stagedFiles, type StagedFiles } from './stagedFiles';

/** A chunks' file up to this may go through an index for a moment; what is larger stays as it is. */
export const largestRewritten = 256 << 20;

/** What a worker writes again. */
export interface RewriteRequest {
  revlogs: (SizedRevlog & { number: number })[];
  settings: DeltaSettings;
  /** The folder for what is written. */
  folder: string;
}

/** What became of a revlog. */
export interface Rewritten {
  number: number;
  /** Bytes of index and chunks. */
  before: number;
  after: number;
  /** Why there is nothing to put in the old one's place. */
  unchanged?: 'same' | 'tooLarge' | 'empty';
}

const revsBetweenReports = 256;
const blockLength = 1 << 20;

/**
 * The task that writes revlogs again, beside the old ones, and reads every text of what it wrote. Its progress counts the
 * old ones' bytes.
 *
 * @throws `integrity` when a text is not what its node stands for, `corrupt`, `destination`, `cancelled`
 */
export async function rewriteRevlogs(request: RewriteRequest, operation: Operation): Promise<Rewritten[]> {
  await zstdReady;
  let before = 0;
  return request.revlogs.map((revlog) => {
    const part = (share: number) =>
      operation.progress({
        type: 'phase',
        phase: 'write',
        state: 'running',
        done: before + Math.round(revlog.bytes * share),
        unit: 'bytes',
      });
    const result = rewrite(revlog, request, operation, part);
    before += revlog.bytes;
    return result;
  });
}

function rewrite(
  revlog: RewriteRequest['revlogs'][number],
  { settings, folder }: RewriteRequest,
  operation: Operation,
  part: (share: number) => void,
): Rewritten {
  const { number, path, chunkPath, bytes } = revlog;
  using source = Revlog.open(path, { chunkPath });
  const unchanged = (why: Rewritten['unchanged']) => ({ number, before: bytes, after: bytes, unchanged: why });
  if (source.length === 0) return unchanged('empty');
  if (bytes > largestRewritten) return unchanged('tooLarge');
  const staged = stagedFiles(folder, number);
  const { isInline, isGeneraldelta } = source;
  const options = { isInline, isGeneraldelta, length: 0, byteLength: 0, keepsForm: true };
  using files = new RevlogFiles({ index: staged.index, chunks: staged.chunks }, options, {});
  storeAgain(source, [{ settings, sink: files }], operation, (rev) => part((0.5 * rev) / source.length));
  // What comes out as it was need not be written, and nobody could tell it from what is there.
  if (files.isSameAs({ index: path, chunks: chunkPath }) === true) return unchanged('same');
  files.flush();
  if (isSameAs(staged, revlog)) return unchanged('same');
  verify(source, staged, operation, (rev) => part(0.5 + (0.5 * rev) / source.length));
  if (!isInline) writeInlineForm(staged.index, staged.chunks, staged.inline);
  const after = sizeOf(staged.index) + sizeOf(staged.chunks);
  return { number, before: bytes, after };
}

/** Reads every text from the files that were written, and checks it against its node. */
function verify(source: Revlog, staged: StagedFiles, operation: Operation, onRevision: (done: number) => void): void {
  using written = Revlog.open(staged.index, { chunkPath: staged.chunks });
  if (written.length !== source.length) throw corruptError(`${staged.index} has ${written.length} revisions.`);
  const texts = sourceTexts(written);
  const originals = sourceTexts(source);
  for (let number = 0; number < written.length; number++) {
    const rev = number as Rev;
    if (number % revsBetweenReports === 0) {
      throwIfCancelled(operation);
      onRevision(number);
    }
    const text = texts.rawText(rev);
    if (whyWithoutText(written.flags(rev)) === undefined) {
      if (written.hashHead(rev).update(text).digest('hex') !== source.node(rev)) throw source.mismatch(rev);
    } else if (hashOf(text) !== hashOf(originals.rawText(rev))) throw source.mismatch(rev);
  }
}

function hashOf(text: Uint8Array): string {
  return createHash('sha1').update(text).digest('hex');
}

function isSameAs(staged: StagedFiles, { path, chunkPath }: SizedRevlog): boolean {
  return isSameFile(staged.index, path) && isSameFile(staged.chunks, chunkPath);
}

function isSameFile(one: string, other: string): boolean {
  if (sizeOf(one) !== sizeOf(other) || existsSync(one) !== existsSync(other)) return false;
  return !existsSync(one) || readFileSync(one).equals(readFileSync(other));
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Writes a revlog with its chunks between its entries: in one file, which can take another's place in one step. */
export function writeInlineForm(index: string, chunks: string, inline: string): void {
  const entries = readFileSync(index);
  const chunkBytes = existsSync(chunks) ? readFileSync(chunks) : Buffer.alloc(0);
  writeHeader(entries, 0, true, (entries.readUInt32BE(0) & 0x2_0000) !== 0);
  writeFileSync(inline, '');
  const file = openSync(inline, 'w');
  try {
    let block: Uint8Array[] = [];
    let blockBytes = 0;
    const write = () => {
      writeAll(file, Buffer.concat(block));
      block = [];
      blockBytes = 0;
    };
    let offset = 0;
    for (let at = 0; at < entries.length; at += entryLength) {
      const length = entries.readUInt32BE(at + 8);
      block.push(entries.subarray(at, at + entryLength), chunkBytes.subarray(offset, offset + length));
      offset += length;
      blockBytes += entryLength + length;
      if (blockBytes > blockLength) write();
    }
    write();
  } catch (error) {
    throw asDestinationError(error, inline);
  } finally {
    closeSync(file);
  }
}
