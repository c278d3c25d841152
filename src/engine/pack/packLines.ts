import type { PackColumns } from './packColumns';
import { summarizeEntry, summarizePack, type PackEntrySummary } from './packSummary';

const names: readonly (keyof PackEntrySummary)[] = [
  'name',
  'kind',
  'offset',
  'objectSize',
  'packedSize',
  'depth',
  'chainSize',
  'base',
  'coding',
];

/** A pack's summary and entries as one JSON object, piece by piece. */
export function* packAsJson(columns: PackColumns): Generator<string> {
  yield `{"summary":${JSON.stringify(summarizePack(columns))},"entries":[`;
  for (let entry = 0; entry < columns.count; entry++) {
    yield `${entry === 0 ? '\n' : ',\n'}${JSON.stringify(summarizeEntry(columns, entry))}`;
  }
  yield '\n]}\n';
}

/** A pack's entries as comma-separated values, line by line: the names of the JSON first. */
export function* packAsCsv(columns: PackColumns): Generator<string> {
  yield `${names.join(',')}\n`;
  for (let entry = 0; entry < columns.count; entry++) {
    const row = summarizeEntry(columns, entry);
    yield `${names.map((name) => row[name] ?? '').join(',')}\n`;
  }
}
