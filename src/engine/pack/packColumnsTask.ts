import type { Operation } from '../io/operation';
import { columnBuffers, type PackColumns } from './packColumns';
import { readPackColumns as read } from './readPackColumns';

/** The task that reads a pack's statistics; the columns move to the caller without a copy. @throws as its namesake. */
export async function readPackColumns(
  args: { path: string },
  context: Operation & { transfer: (...buffers: ArrayBuffer[]) => void },
): Promise<PackColumns> {
  const columns = await read(args.path, context);
  context.transfer(...columnBuffers(columns));
  return columns;
}
