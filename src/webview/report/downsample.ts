import type { Numbers } from '../../protocol/chainReport';

/** Points of a picture: places and values, as the charting library takes them. */
export type Points = [xs: number[], ys: number[]];

/**
 * The lowest and the highest value of each stretch of rows, in the order in which they come: what a line of that many
 * points would show of millions, with no peak left out.
 */
export function extremes(values: Numbers, stretches: number): Points {
  const xs: number[] = [];
  const ys: number[] = [];
  const add = (row: number) => {
    xs.push(row);
    ys.push(values[row]);
  };
  const size = Math.max(1, Math.ceil(values.length / stretches));
  for (let begin = 0; begin < values.length; begin += size) {
    const end = Math.min(values.length, begin + size);
    let low = begin;
    let high = begin;
    for (let row = begin + 1; row < end; row++) {
      if (values[row] < values[low]) low = row;
      if (values[row] > values[high]) high = row;
    }
    if (low === high) add(low);
    else [Math.min(low, high), Math.max(low, high)].forEach(add);
  }
  return [xs, ys];
}

/** How many rows have a value in each of at most so many ranges of equal width; `xs` are where ranges begin. */
export function distribution(values: Numbers, ranges: number): Points & { width?: number } {
  let largest = 0;
  for (const value of values) if (value > largest) largest = value;
  const width = Math.max(1, Math.ceil((largest + 1) / ranges));
  const counts = new Array<number>(Math.floor(largest / width) + 1).fill(0);
  for (const value of values) if (value >= 0) counts[Math.floor(value / width)]++;
  return Object.assign<Points, { width: number }>([counts.map((_, at) => at * width), counts], { width });
}

/**
 * One row for each place of a grid over two logarithmic scales that has any: what a cloud of that many dots would show of
 * millions. Values under 1 are left out, since they have no logarithm.
 */
export function cloud(xs: Numbers, ys: Numbers, cells: number): { points: Points; rows: number[] } {
  const [xRange, yRange] = [range(xs), range(ys)];
  const taken = new Map<number, number>();
  const cell = (value: number, [low, high]: [number, number]) =>
    high === low ? 0 : Math.floor(((Math.log(value) - low) / (high - low)) * (cells - 1));
  for (let row = 0; row < xs.length; row++) {
    if (xs[row] < 1 || ys[row] < 1) continue;
    const place = cell(xs[row], xRange) * cells + cell(ys[row], yRange);
    if (!taken.has(place)) taken.set(place, row);
  }
  const rows = [...taken.values()].sort((one, other) => xs[one] - xs[other]);
  return { points: [rows.map((row) => xs[row]), rows.map((row) => ys[row])], rows };
}

/** Logarithms of the least value from 1 on, and of the greatest. */
function range(values: Numbers): [number, number] {
  let low = Infinity;
  let high = 1;
  for (const value of values) {
    if (value >= 1 && value < low) low = value;
    if (value > high) high = value;
  }
  return [Math.log(Math.min(low, high)), Math.log(high)];
}

/** Rows and bytes of each choice of a column. */
export function shares(kinds: Numbers, bytes: Numbers, choices: readonly string[]): Share[] {
  const counted = choices.map((name) => ({ name, rows: 0, bytes: 0 }));
  for (let row = 0; row < kinds.length; row++) {
    const share = counted.at(kinds[row]);
    if (share === undefined) continue;
    share.rows++;
    share.bytes += bytes[row];
  }
  return counted.filter(({ rows }) => rows > 0);
}

/** How many rows are of one kind, and their bytes. */
export interface Share {
  name: string;
  rows: number;
  bytes: number;
}
