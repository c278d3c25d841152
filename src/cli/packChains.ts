import { unattended, type Operation } from '../engine/io/operation';
import { packAsJson } from '../engine/pack/packLines';
import { summarizePack, type PackEntrySummary, type PackSummary } from '../engine/pack/packSummary';
import { readPackColumns } from '../engine/pack/readPackColumns';
import { verifyPackLines } from '../engine/pack/verifyPackLines';

export interface PackChainFlags {
  /** One JSON object: the summary, and unless `summary` is set too, all entries. */
  json?: boolean;
  /** Only the summary. */
  summary?: boolean;
}

/**
 * Prints the delta chains of a pack: as `git verify-pack --verbose` does, as JSON, or summed up.
 * @throws as `readPackColumns`.
 */
export async function runPackChains(
  file: string,
  flags: PackChainFlags,
  operation: Operation = unattended,
): Promise<void> {
  const columns = await readPackColumns(file, operation);
  if (flags.json === true) {
    if (flags.summary === true) await print(`${JSON.stringify(summarizePack(columns))}\n`);
    else for (const piece of packAsJson(columns)) await print(piece);
  } else if (flags.summary === true) await print(describe(summarizePack(columns)));
  else for (const line of verifyPackLines(columns)) await print(`${line}\n`);
}

/** Waits when the reader is slow: a pack of millions of entries would fill the memory else. */
async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}

function describe(summary: PackSummary): string {
  const { pack, format, objects, packBytes, objectBytes, whole, offsetDeltas, nameDeltas } = summary;
  const lines = [
    `${pack}: ${objects} objects named by ${format}, ${objectBytes} bytes in ${packBytes}`,
    `${whole} whole, ${offsetDeltas} deltas by offset, ${nameDeltas} by name; mean depth ${summary.meanDepth.toFixed(2)}`,
    '',
    ...Object.entries(summary.kinds).map(
      ([kind, one]) =>
        `${kind.padEnd(8)}${one.objects} objects, ${one.deltas} deltas, ${one.objectBytes} bytes in ${one.packedBytes}`,
    ),
    ...Object.entries(summary.codings).map(
      ([coding, one]) => `${coding.padEnd(8)}${one.objects} entries, ${one.packedBytes} bytes`,
    ),
    '',
    ...summary.chainLengths.flatMap((count, length) => (count === 0 ? [] : [`chain length ${length}: ${count}`])),
    ...list('deepest', summary.deepest, (entry) => `depth ${entry.depth}`),
    ...list('largest', summary.largest, (entry) => `${entry.objectSize} bytes`),
    ...list('largest in the pack', summary.largestPacked, (entry) => `${entry.packedSize} bytes`),
    ...list('worst compressed', summary.worstRatios, (entry) => ratio(entry.packedSize, entry.objectSize)),
    ...list('longest to read', summary.costliestChains, (entry) => ratio(entry.chainSize, entry.objectSize)),
  ];
  return `${lines.join('\n')}\n`;
}

function list(title: string, entries: PackEntrySummary[], measure: (entry: PackEntrySummary) => string): string[] {
  if (entries.length === 0) return [];
  return ['', `${title}:`, ...entries.map((entry) => `  ${entry.name} ${entry.kind.padEnd(6)} ${measure(entry)}`)];
}

const ratio = (part: number, whole: number) => `${((part / whole) * 100).toFixed(1)}%`;
