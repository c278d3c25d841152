import * as l10n from '@vscode/l10n';
import { corruptError } from '../../engine/io/errors';
import type { TransferSnapshot } from '../../protocol/transferReport';
import { withoutSecrets } from '../diagnostics/withoutSecrets';

const format = 'deltascope-trace';
const version = 1;

/** More than that no trace of ours takes: its columns have a bound. */
export const longestTrace = 16 << 20;

/** A transfer as a file that can be kept, sent and opened again: JSON, without passwords in addresses. */
export function traceText(snapshot: TransferSnapshot): string {
  const hide = (_key: string, value: unknown): unknown => (typeof value === 'string' ? withoutSecrets(value) : value);
  return `${JSON.stringify({ format, version, snapshot }, hide, 2)}\n`;
}

/**
 * Reads what {@link traceText} made.
 * @param subject the name of the file, for errors
 * @throws `corrupt` for anything else
 */
export function parseTrace(text: string, subject: string): TransferSnapshot {
  const trace = parseJson(text);
  if (!isRecord(trace) || trace.format !== format || trace.version !== version || !isSnapshot(trace.snapshot)) {
    throw corruptError(l10n.t('{0} is no trace of a transfer that this version of Deltascope has saved.', subject), {
      subject,
    });
  }
  return { ...trace.snapshot, isSaved: true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isColumn: Check = (value) => Array.isArray(value) && value.every(isNumber);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const record =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const isHistory: Check = (value) => {
  if (!isRecord(value) || !isColumn(value.seconds) || !isColumn(value.bytes) || !isRecord(value.kinds)) return false;
  const columns = [value.bytes, ...Object.values(value.kinds)];
  const { length } = value.seconds as unknown[];
  return columns.every((column) => isColumn(column) && (column as unknown[]).length === length);
};

const isSnapshotRecord = record({
  id: isNumber,
  title: isText,
  source: isText,
  destination: isText,
  isServed: (value) => typeof value === 'boolean',
  state: (value) => ['running', 'done', 'failed', 'cancelled'].includes(value as string),
  words: isText,
  failure: optional(isText),
  warnings: listOf(isText),
  seconds: isNumber,
  phases: listOf(record({ label: isText, begun: isNumber, ended: optional(isNumber), words: isText })),
  terms: optional(record({ words: isText, reason: isText })),
  figures: listOf(record({ label: isText, value: isText, description: isText })),
  history: isHistory,
  streamedObjects: isNumber,
  streamed: listOf(record({ name: isText, kind: isText, size: isNumber, reason: isText })),
});

function isSnapshot(value: unknown): value is TransferSnapshot {
  return isSnapshotRecord(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
