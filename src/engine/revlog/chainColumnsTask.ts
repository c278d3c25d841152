import type { Operation } from '../io/operation';
import { chainBuffers } from './chainColumns';
import { readChainColumns as read, type ChainDetail, type ChainReading, type RevlogSource } from './readChainColumns';

/** The task that reads a revlog's chains; the columns move to the caller without a copy. @throws as its namesake */
export function readChainColumns(
  args: { source: RevlogSource; detail: ChainDetail },
  context: Operation & { transfer: (...buffers: ArrayBuffer[]) => void },
): ChainReading {
  const reading = read(args.source, args.detail, context);
  context.transfer(...chainBuffers(reading.columns));
  return reading;
}
