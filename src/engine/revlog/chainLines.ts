import { chainRow, type ChainColumns } from './chainColumns';

/** The rows of a revlog as a JSON list, piece by piece, with the names of `hg debugdeltachain -T json`. */
export function* chainsAsJson(columns: ChainColumns): Generator<string> {
  yield '[';
  for (let rev = 0; rev < columns.count; rev++) {
    yield `${rev === 0 ? '\n ' : ',\n '}${JSON.stringify(chainRow(columns, rev))}`;
  }
  yield '\n]\n';
}

/** The rows of a revlog as comma-separated values, line by line: the names first. */
export function* chainsAsCsv(columns: ChainColumns): Generator<string> {
  for (let rev = 0; rev < columns.count; rev++) {
    const row = chainRow(columns, rev);
    if (rev === 0) yield `${Object.keys(row).join(',')}\n`;
    yield `${Object.values(row).join(',')}\n`;
  }
}
