import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import type { BitInput } from './bitInput';
import { HuffmanCode, longestCode } from './huffmanCode';

/** So many symbols are coded with one table before the next is chosen. */
const symbolsPerTable = 50;
/** Bytes that tables, and their choices, take at most. */
const longestTables = 64 * 1024;
/** Bytes that {@link symbolsPerTable} codes take at most. */
const longestGroup = (symbolsPerTable * longestCode) / 8 + 1;

/** A block as it is before its bytes are sorted back: what it decodes to, bar its runs, in another order. */
export interface SortedBlock {
  /** The last column of the sorted rotations; the first `length` bytes count. */
  bytes: Uint8Array;
  length: number;
  /** Which of the rotations is the text. */
  origin: number;
}

/**
 * Reads one block, from after its checksum, into `bytes`, whose length is the most that a block may hold.
 * @throws `corrupt`
 */
export async function readSortedBlock(input: BitInput, bytes: Uint8Array): Promise<SortedBlock> {
  await input.ahead(longestTables);
  if (input.read(1) === 1) throw corruptError(l10n.t('a block is randomised, which no program has done for decades'));
  const origin = input.read(24);
  const recent = readUsedBytes(input);
  const symbolCount = recent.length + 2;
  const tableCount = input.read(3);
  if (tableCount < 2 || tableCount > 6) throw corruptError(l10n.t('a block has {0} tables', tableCount));
  const choices = readChoices(input, tableCount);
  const tables = Array.from({ length: tableCount }, () => new HuffmanCode(readLengths(input, symbolCount)));
  const length = await readSymbols(input, choices, tables, recent, bytes);
  if (origin >= length) throw corruptError(l10n.t('a block begins behind its end'));
  return { bytes, length, origin };
}

/** The byte values that occur, in order: a map of 16 bits, then one of 16 bits for each bit that is set in it. */
function readUsedBytes(input: BitInput): Uint8Array {
  const used: number[] = [];
  const groups = input.read(16);
  for (let group = 0; group < 16; group++) {
    if ((groups & (0x8000 >> group)) === 0) continue;
    const members = input.read(16);
    for (let member = 0; member < 16; member++) {
      if ((members & (0x8000 >> member)) !== 0) used.push(group * 16 + member);
    }
  }
  if (used.length === 0) throw corruptError(l10n.t('a block uses no bytes'));
  return Uint8Array.from(used);
}

/** Which table is for which group: as places in a list whose members move to the front when they are used. */
function readChoices(input: BitInput, tableCount: number): Uint8Array {
  const choices = new Uint8Array(input.read(15));
  const order = Uint8Array.from({ length: tableCount }, (_, table) => table);
  for (let at = 0; at < choices.length; at++) {
    let place = 0;
    while (input.read(1) === 1)
      if (++place >= tableCount) throw corruptError(l10n.t('a block chooses a table that is not there'));
    choices[at] = moveToFront(order, place);
  }
  return choices;
}

/** The lengths of a table's codes, each as the steps that lead to it from the one before. */
function readLengths(input: BitInput, symbolCount: number): Uint8Array {
  const lengths = new Uint8Array(symbolCount);
  let length = input.read(5);
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    while (input.read(1) === 1) length += input.read(1) === 1 ? -1 : 1;
    if (length < 1 || length > longestCode) throw corruptError(l10n.t('a code has {0} bits', length));
    lengths[symbol] = length;
  }
  return lengths;
}

/** Symbols 0 and 1 are the digits of a run of the latest byte; the last symbol ends the block; the rest are places. */
async function readSymbols(
  input: BitInput,
  choices: Uint8Array,
  tables: readonly HuffmanCode[],
  recent: Uint8Array,
  bytes: Uint8Array,
): Promise<number> {
  const end = recent.length + 1;
  let length = 0;
  let run = 0;
  let digit = 1;
  for (const choice of choices) {
    if (!input.has(longestGroup)) await input.ahead(longestGroup);
    const table = tables[choice];
    for (let count = 0; count < symbolsPerTable; count++) {
      const symbol = table.read(input);
      if (symbol <= 1) {
        run += digit << symbol;
        digit <<= 1;
        if (length + run > bytes.length) throw tooLong(bytes.length);
        continue;
      }
      if (run > 0) {
        bytes.fill(recent[0], length, length + run);
        length += run;
        run = 0;
        digit = 1;
      }
      if (symbol === end) return length;
      if (length === bytes.length) throw tooLong(bytes.length);
      bytes[length++] = moveToFront(recent, symbol - 1);
    }
  }
  throw corruptError(l10n.t('a block does not end'));
}

function tooLong(limit: number): Error {
  return corruptError(l10n.t('a block holds more than {0} bytes', limit));
}

/** Takes the member at `place` to the front of the list, and gives it. */
function moveToFront(list: Uint8Array, place: number): number {
  const member = list[place];
  list.copyWithin(1, 0, place);
  list[0] = member;
  return member;
}
