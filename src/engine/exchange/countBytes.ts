import type { Operation } from '../io/operation';

/** The same stream, with how many bytes have gone by; `onBytes` is told the sum. */
export function countBytes(
  source: AsyncIterable<Uint8Array>,
  onBytes: (total: number) => void = () => undefined,
): { body: AsyncIterable<Uint8Array>; total: () => number } {
  let total = 0;
  const body = async function* () {
    for await (const bytes of source) {
      total += bytes.length;
      onBytes(total);
      yield bytes;
    }
  };
  return { body: body(), total: () => total };
}

/** For `countBytes`: reports the sum as progress of the transfer. */
export function reportTransfer(operation: Operation, total?: number): (bytes: number) => void {
  return (done) =>
    operation.progress({ type: 'phase', phase: 'transfer', state: 'running', done, total, unit: 'bytes' });
}
