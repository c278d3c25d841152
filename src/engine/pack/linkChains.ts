import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { NameTable } from './nameTable';
import { packType } from './objectKind';
import { noBase, outsideBase, type PackColumns } from './packColumns';

/**
 * Fills the columns that follow from others: bases by name, and for each entry kind, depth, root and size of its chain.
 * Walks with a list, not the call stack: a chain may have any depth.
 * @param baseNames the base of each delta by name, by entry.
 * @throws `corrupt` when a chain leads back to itself.
 */
export function linkChains(columns: PackColumns, baseNames: Map<number, Uint8Array>): void {
  if (baseNames.size > 0) findBases(columns, baseNames);
  const { count, bases } = columns;
  const done = new Uint8Array(count);
  const way: number[] = [];
  for (let first = 0; first < count; first++) {
    let entry = first;
    while (done[entry] === 0) {
      way.push(entry);
      if (bases[entry] < 0) break;
      entry = bases[entry];
      if (way.length > count) throw builtOnItself(columns, first);
    }
    for (let next = way.pop(); next !== undefined; next = way.pop()) {
      linkEntry(columns, next);
      done[next] = 1;
    }
  }
}

function linkEntry(columns: PackColumns, entry: number): void {
  const { bases, kinds, types, depths, roots, chainSizes, packedSizes } = columns;
  const base = bases[entry];
  if (base >= 0) {
    kinds[entry] = kinds[base];
    depths[entry] = depths[base] + 1;
    roots[entry] = roots[base];
    chainSizes[entry] = chainSizes[base] + packedSizes[entry];
  } else {
    kinds[entry] = base === noBase ? types[entry] : 0;
    depths[entry] = base === noBase ? 0 : 1;
    roots[entry] = entry;
    chainSizes[entry] = packedSizes[entry];
  }
}

function findBases(columns: PackColumns, baseNames: Map<number, Uint8Array>): void {
  const nameLength = columns.format === 'sha1' ? 20 : 32;
  const table = new NameTable(nameLength);
  const entries: number[] = [];
  for (let entry = 0; entry < columns.count; entry++) {
    if (table.add(columns.names, entry * nameLength) === entries.length) entries.push(entry);
  }
  for (const [entry, name] of baseNames) {
    const position = table.find(name);
    columns.bases[entry] = position < 0 ? outsideBase : entries[position];
  }
}

function builtOnItself(columns: PackColumns, entry: number): Error {
  const offset = columns.offsets[entry];
  const how = columns.types[entry] === packType.nameDelta ? 'by name' : 'by offset';
  return corruptError(l10n.t('The delta {0} at offset {1} of {2} is built on itself.', how, offset, columns.pack), {
    subject: columns.pack,
    offset,
  });
}
