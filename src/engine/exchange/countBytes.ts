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
