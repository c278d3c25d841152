import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { sourceTexts, storeAgain } from '../compare/storedAgain';
import type { SizedRevlog } from '../compare/shares';
import { zstdReady } from '../compression/block';
import { corruptError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { Rev } from '../revlog/node';
import type { DeltaSettings } from '../revlog/policy/deltaSettings';
import { whyWithoutText } from '../revlog/revisionFlags';
import { Revlog } from '../revlog/revlog';
import { RevlogFiles } from '../revlog/revlogFiles';
import { writeInlineForm } from './inlineForm';
import { stagedFiles, type StagedFiles } from './stagedFiles';

/** What a worker writes again. */
export interface RewriteRequest {
  revlogs: (SizedRevlog & { number: number })[];
  settings: DeltaSettings;
  /** The folder for what is written. */
  folder: string;
  /** Revlogs of more bytes on disk stay as they are. */
  largestReplaced: number;
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
  { settings, folder, largestReplaced }: RewriteRequest,
  operation: Operation,
  part: (share: number) => void,
): Rewritten {
  const { number, path, chunkPath, bytes } = revlog;
  using source = Revlog.open(path, { chunkPath });
  const unchanged = (why: Rewritten['unchanged']) => ({ number, before: bytes, after: bytes, unchanged: why });
  if (source.length === 0) return unchanged('empty');
  if (bytes > largestReplaced) return unchanged('tooLarge');
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
  if (written.length !== source.length)
    throw corruptError(l10n.t('{0} has {1} revisions.', staged.index, written.length));
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
  return !existsSync(one) || haveSameBytes(one, other);
}

/** Of two files of one length. */
function haveSameBytes(one: string, other: string): boolean {
  const files = [openSync(one, 'r'), openSync(other, 'r')];
  const blocks = files.map(() => Buffer.allocUnsafe(blockLength));
  try {
    for (;;) {
      const [mine, theirs] = files.map((file, at) => blocks[at].subarray(0, readFully(file, blocks[at])));
      if (!mine.equals(theirs)) return false;
      if (mine.length < blockLength) return true;
    }
  } finally {
    files.forEach(closeSync);
  }
}

/** Fills the block from where the file is at, less only at its end; gives how many bytes. */
function readFully(file: number, block: Buffer): number {
  let filled = 0;
  for (let count = -1; count !== 0 && filled < block.length; filled += count) {
    count = readSync(file, block, filled, block.length - filled, null);
  }
  return filled;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
