import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Numbers, ReportColumn, ReportHead } from '../../src/protocol/chainReport';
import { cloud, distribution, extremes, shares } from '../../src/webview/report/downsample';
import { filterRows, parseFilter } from '../../src/webview/report/filterRows';
import { ReportTable } from '../../src/webview/report/reportTable';
import { sortRows } from '../../src/webview/report/sortRows';
import { stripOf } from '../../src/webview/report/strip';
import { pseudoRandom } from '../fixtures/sourceHistory';

const rows = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);
const sent = { from: 'values' } as const;
const column = (key: string, more: Partial<ReportColumn> = {}): ReportColumn => ({
  key,
  label: key,
  description: '',
  format: 'number',
  source: sent,
  ...more,
});

/** A table of six rows: two chains, and one that goes in a circle. */
function sampleTable(): ReportTable {
  const columns = [
    column('rev', { format: 'row', source: { from: 'row' } }),
    column('base', { format: 'row' }),
    column('kind', { format: 'choice', choices: ['whole', 'p1', 'p2'] }),
    column('size', { format: 'bytes' }),
    column('text', { format: 'bytes' }),
    column('length'),
    column('chain'),
    column('ratio', { format: 'ratio', source: { from: 'ratio', part: 'chain', whole: 'text', ofNothing: 'one' } }),
    column('extra', { source: { from: 'difference', of: 'chain', less: 'size' } }),
    column('name', { format: 'name', source: { from: 'names', width: 2 } }),
  ];
  const values = new Map<string, Numbers>([
    ['base', Int32Array.of(-1, 0, 1, -1, 5, 4)],
    ['kind', Uint8Array.of(0, 1, 2, 0, 1, 1)],
    ['size', Uint32Array.of(1000, 10, 20, 20_000, 5, 5)],
    ['text', Int32Array.of(2000, 2000, 0, 40_000, 10, 10)],
    ['length', Int32Array.of(1, 2, 3, 1, 2, 2)],
    ['chain', Uint32Array.of(1000, 1010, 1030, 20_000, 10, 10)],
    ['name', Uint8Array.from({ length: 12 }, (_, at) => at * 16 + at)],
  ]);
  const head = {
    count: 6,
    columns,
    rowName: { one: 'revision', many: 'revisions' },
    roles: { base: 'base', stored: 'size', text: 'text', chainLength: 'length', chainSize: 'chain', deltaKind: 'kind' },
  } as unknown as ReportHead;
  return new ReportTable(head, values);
}

describe("the report's table", () => {
  it('works out what is not sent', () => {
    const table = sampleTable();
    deepEqual([...table.values('ratio')], [0.5, 0.505, 1, 0.5, 1, 1]);
    deepEqual([...table.values('extra')], [0, 1000, 1010, 0, 5, 5]);
    equal(table.name(table.column('name'), 1), '2233');
    equal(table.name(table.column('name'), 1, 2), '22');
  });

  it('finds chains, and comes to an end where one goes in a circle', () => {
    const table = sampleTable();
    deepEqual(table.chainOf(2), [0, 1, 2]);
    deepEqual(table.chainOf(3), [3]);
    ok(table.chainOf(4).length <= table.count + 1);
  });

  it('shows a chain with what reading it costs', () => {
    const strip = stripOf(sampleTable(), 2);
    deepEqual(
      strip.links.map(({ row, bytes }) => [row, bytes]),
      [
        [0, 1000],
        [1, 10],
        [2, 20],
      ],
    );
    equal(strip.readBytes, 1030);
    equal(strip.reads, 3);
  });
});

describe("the order of the report's rows", () => {
  const random = pseudoRandom(7);
  const columns: Record<string, Numbers> = {
    'bytes of one byte': Uint8Array.from({ length: 5000 }, () => random() * 256),
    'small numbers': Uint16Array.from({ length: 5000 }, () => random() * 60_000),
    'large numbers': Uint32Array.from({ length: 5000 }, () => random() * 2 ** 32),
    'numbers below nothing': Int32Array.from({ length: 5000 }, () => (random() - 0.5) * 2 ** 32),
    'few different numbers': Int32Array.from({ length: 5000 }, () => Math.floor(random() * 3) - 1),
    ratios: Float64Array.from({ length: 5000 }, () => random() * 3),
    'ratios below nothing': Float64Array.from({ length: 5000 }, () => (random() - 0.5) * 1e12),
  };
  for (const [what, values] of Object.entries(columns)) {
    for (const descending of [false, true]) {
      it(`is that of ${what}, ${descending ? 'largest' : 'smallest'} first, and keeps equal ones as they were`, () => {
        const subset = rows(5000).filter((row) => row % 7 !== 0);
        const expected = [...subset].sort(
          (one, other) => (descending ? -1 : 1) * (values[one] - values[other]) || one - other,
        );
        deepEqual([...sortRows(subset, values, descending)], expected);
      });
    }
  }

  it('is nothing of nothing', () => equal(sortRows(new Uint32Array(0), new Uint8Array(0), false).length, 0));
});

describe("the report's filter", () => {
  const find = (text: string) => {
    const table = sampleTable();
    const parsed = parseFilter(text, table);
    return 'fault' in parsed ? parsed.fault : [...filterRows(table.count, parsed.tests)];
  };
  const cases: [string, number[]][] = [
    ['', [0, 1, 2, 3, 4, 5]],
    ['length>1', [1, 2, 4, 5]],
    ['length>=3', [2]],
    ['size<=10 length=2', [1, 4, 5]],
    ['size>=20k', [3]],
    ['kind=p2', [2]],
    ['kind!=whole', [1, 2, 4, 5]],
    ['p1', [1, 4, 5]],
    ['base=-1', [0, 3]],
    ['ratio<0.51', [0, 1, 3]],
    ['name=22', [1]],
    ['2', [0, 1, 2]],
    ['aab', [5]],
  ];
  for (const [text, expected] of cases) it(`finds with "${text}"`, () => deepEqual(find(text), expected));

  for (const text of ['nothing>1', 'size>many', 'kind=p9', 'hello']) {
    it(`says what is wrong with "${text}"`, () => {
      const fault = find(text);
      ok(typeof fault === 'string' && fault.endsWith('.'), String(fault));
    });
  }
});

describe('pictures of more than can be drawn', () => {
  it('keep every peak, in few points', () => {
    const values = Int32Array.from({ length: 100_000 }, (_, row) => (row === 77_777 ? 900 : row % 50));
    const [xs, ys] = extremes(values, 500);
    ok(xs.length <= 1000);
    ok(xs.every((x, at) => at === 0 || x > xs[at - 1]));
    ok(xs.every((x, at) => values[x] === ys[at]));
    equal(Math.max(...ys), 900);
    equal(xs[ys.indexOf(900)], 77_777);
  });

  it('count every row of a distribution', () => {
    const values = Int32Array.from({ length: 10_000 }, (_, row) => row % 1234);
    const [xs, counts] = distribution(values, 80);
    ok(xs.length <= 80);
    equal(
      counts.reduce((sum, count) => sum + count, 0),
      10_000,
    );
    deepEqual(distribution(Int32Array.of(0, 0, 3), 80).slice(0, 2), [
      [0, 1, 2, 3],
      [2, 0, 0, 1],
    ]);
  });

  it('have one dot for each place of a cloud', () => {
    const xs = Uint32Array.from({ length: 50_000 }, (_, row) => (row % 300) + 1);
    const ys = Uint32Array.from({ length: 50_000 }, (_, row) => (row % 200) + 1);
    const { points, rows: dots } = cloud(xs, ys, 50);
    ok(dots.length <= 2500 && dots.length > 100, String(dots.length));
    ok(dots.every((row, at) => xs[row] === points[0][at] && ys[row] === points[1][at]));
    equal(cloud(Uint32Array.of(0, 5), Uint32Array.of(3, 0), 50).rows.length, 0);
  });

  it('add up kinds', () => {
    deepEqual(shares(Uint8Array.of(0, 1, 1, 9), Uint32Array.of(5, 6, 7, 8), ['a', 'b', 'c']), [
      { name: 'a', rows: 1, bytes: 5 },
      { name: 'b', rows: 2, bytes: 13 },
    ]);
  });
});
