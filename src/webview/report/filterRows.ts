import * as l10n from '@vscode/l10n';
import type { ReportColumn } from '../../protocol/chainReport';
import { decimalMark } from '../shared/words';
import type { ReportTable } from './reportTable';

/** Whether a row is to be shown. */
type Test = (row: number) => boolean;

const comparison = /^([a-z0-9]+)(<=|>=|!=|=|<|>)(.+)$/i;
const multipliers: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** What is typed into the filter, understood or not. */
export type ParsedFilter = { tests: Test[] } | { fault: string };

/**
 * Understands a filter: conditions with spaces between them, all of which must hold, as `chainlen>100 deltatype=p2
 * compsize>=10k`; a number alone is that row with its chain; anything else is looked for in names.
 */
export function parseFilter(text: string, table: ReportTable): ParsedFilter {
  const tests: Test[] = [];
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const test = testOf(word, table);
    if (typeof test === 'string') return { fault: test };
    tests.push(test);
  }
  return { tests };
}

/** The rows that pass every test, in their order. */
export function filterRows(count: number, tests: readonly Test[]): Uint32Array {
  const rows = new Uint32Array(count);
  let kept = 0;
  for (let row = 0; row < count; row++) {
    let passes = true;
    for (let at = 0; passes && at < tests.length; at++) passes = tests[at](row);
    if (passes) rows[kept++] = row;
  }
  return rows.subarray(0, kept);
}

function testOf(word: string, table: ReportTable): Test | string {
  const parts = comparison.exec(word);
  if (parts !== null) {
    const [, key, operator, value] = parts;
    const column = table.head.columns.find((known) => known.key.toLowerCase() === key.toLowerCase());
    if (column === undefined) return l10n.t('There is no column {0}. There are {1}.', key, keysOf(table));
    return column.format === 'name' ? nameTest(column, value, table) : valueTest(column, operator, value, table);
  }
  if (/^\d{1,10}$/.test(word) && Number(word) < table.count) {
    const chain = new Set(table.chainOf(Number(word)));
    return (row) => chain.has(row);
  }
  const choices = table.head.columns.find((column) => column.choices?.includes(word) === true);
  if (choices !== undefined) return valueTest(choices, '=', word, table);
  const named = table.head.columns.find(({ format }) => format === 'name');
  if (named !== undefined) return nameTest(named, word, table);
  return l10n.t('Write conditions such as {0}>100; columns are {1}.', table.head.roles.chainLength, keysOf(table));
}

function valueTest(column: ReportColumn, operator: string, text: string, table: ReportTable): Test | string {
  const value = column.choices === undefined ? parseNumber(text) : column.choices.indexOf(text);
  if (value === undefined || Number.isNaN(value)) return l10n.t('{0} is not a number.', text);
  if (value === -1 && column.choices !== undefined) {
    return l10n.t('{0} is one of {1}.', column.key, column.choices.join(', '));
  }
  const values = table.values(column.key);
  switch (operator) {
    case '=':
      return (row) => values[row] === value;
    case '!=':
      return (row) => values[row] !== value;
    case '<':
      return (row) => values[row] < value;
    case '<=':
      return (row) => values[row] <= value;
    case '>':
      return (row) => values[row] > value;
    default:
      return (row) => values[row] >= value;
  }
}

/** Names that begin so. */
function nameTest(column: ReportColumn, prefix: string, table: ReportTable): Test | string {
  const wanted = prefix.toLowerCase();
  if (!/^[0-9a-f]+$/.test(wanted)) return l10n.t('Names are written in hexadecimal digits.');
  return (row) => table.name(column, row, wanted.length + 1).startsWith(wanted);
}

/** `12`, `-1`, `1.5`, `10k`, `3M`; the decimals also after the mark that the table shows. */
function parseNumber(text: string): number | undefined {
  const parts = /^(-?\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(text.replace(decimalMark(), '.'));
  return parts === null ? undefined : Number(parts[1]) * multipliers[parts[2].toLowerCase()];
}

function keysOf(table: ReportTable): string {
  return table.head.columns.map(({ key }) => key).join(', ');
}
