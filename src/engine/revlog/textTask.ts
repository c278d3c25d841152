import { zstdReady } from '../compression/block';
import type { Operation } from '../io/operation';
import type { Fault, FaultKind } from './indexFaults';
import type { Rev } from './node';
import { chunkPathOf, type RevlogSource } from './readChainColumns';
import { Revlog } from './revlog';
import { findTextFaults } from './textFaults';

/** The text of a revision, or its beginning. */
export interface RevisionText {
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of the whole text. */
  size: number;
}

/**
 * The task that reads the text of one revision, checked against its node.
 * @param args.limit gives no more than so many bytes of its beginning
 * @throws as `Revlog.open` and `Revlog.text`
 */
export async function readRevisionText(
  args: { source: RevlogSource; rev: number; limit?: number },
  context: { transfer: (...buffers: ArrayBuffer[]) => void },
): Promise<RevisionText> {
  await zstdReady;
  using revlog = Revlog.open(args.source.path, { chunkPath: chunkPathOf(args.source), isDamageKept: true });
  const text = revlog.text(args.rev as Rev);
  // What the reader gives may be a view of something larger.
  const bytes = new Uint8Array(text.subarray(0, args.limit));
  context.transfer(bytes.buffer);
  return { bytes, size: text.length };
}

/** The task that checks every text of a revlog. @throws as `findTextFaults` */
export async function checkRevlogTexts(
  args: { source: RevlogSource },
  context: Operation,
): Promise<{ faults: Fault[]; faultCounts: Partial<Record<FaultKind, number>> }> {
  await zstdReady;
  const faults = findTextFaults(args.source.path, { chunkPath: chunkPathOf(args.source) }, context);
  return { faults: faults.first, faultCounts: faults.counts };
}
