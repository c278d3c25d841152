import { zstdReady } from '../compression/block';
import type { Operation } from '../io/operation';
import type { Fault, FaultKind } from './indexFaults';
import type { Rev } from './node';
import { chunkPathOf, type RevlogSource } from './readChainColumns';
import { Revlog } from './revlog';
import { findTextFaults } from './textFaults';

/** The task that reads the text of one revision, checked against its node. @throws as `Revlog.open` and `Revlog.text` */
export async function readRevisionText(
  args: { source: RevlogSource; rev: number },
  context: { transfer: (...buffers: ArrayBuffer[]) => void },
): Promise<Uint8Array> {
  await zstdReady;
  using revlog = Revlog.open(args.source.path, { chunkPath: chunkPathOf(args.source), isDamageKept: true });
  // What the reader gives may be a view of something larger.
  const text = new Uint8Array(revlog.text(args.rev as Rev));
  context.transfer(text.buffer);
  return text;
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
