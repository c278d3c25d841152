import { hexName } from './objectFormat';
import { kindNames } from './objectKind';
import type { PackColumns } from './packColumns';

/**
 * The columns of a pack as `git verify-pack --verbose` prints them: name, kind, size, size in the pack and offset of each
 * entry, depth and base of deltas, then how many chains have each length. The sizes are those of the entries: of a delta,
 * not of what it makes.
 */
export function* verifyPackLines(columns: PackColumns): Generator<string> {
  const { count, names, kinds, sizes, packedSizes, offsets, depths, bases, format } = columns;
  const nameLength = format === 'sha1' ? 20 : 32;
  const name = (entry: number) => hexName(names, entry * nameLength, nameLength);
  for (let entry = 0; entry < count; entry++) {
    const line = `${name(entry)} ${kindNames[kinds[entry]].padEnd(6)} ${sizes[entry]} ${packedSizes[entry]} ${offsets[entry]}`;
    yield depths[entry] === 0 ? line : `${line} ${depths[entry]} ${bases[entry] < 0 ? '-' : name(bases[entry])}`;
  }
  yield* chainLengthLines(columns);
}

/** The last lines alone: whole objects, then chains by length. */
export function* chainLengthLines({ depths, count }: PackColumns): Generator<string> {
  const lengths: number[] = [];
  for (let entry = 0; entry < count; entry++) lengths[depths[entry]] = (lengths[depths[entry]] ?? 0) + 1;
  const objects = (number: number) => `${number} object${number === 1 ? '' : 's'}`;
  if ((lengths.at(0) ?? 0) > 0) yield `non delta: ${objects(lengths[0])}`;
  for (let length = 1; length < lengths.length; length++) {
    if ((lengths.at(length) ?? 0) > 0) yield `chain length = ${length}: ${objects(lengths[length])}`;
  }
}
