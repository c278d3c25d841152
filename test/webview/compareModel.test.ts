import { deepEqual, equal, ok } from 'node:assert/strict';
import type { CompareReport, PolicyName, RevlogComparison, StoreShape } from '../../src/protocol/compareReport';
import {
  baseInWords,
  changeInWords,
  costRows,
  curvesInWords,
  curvesOf,
  policyRows,
  shownHistories,
} from '../../src/webview/compare/compareModel';

const shape = (indexBytes: number, chunkBytes: number, more: Partial<StoreShape> = {}): StoreShape => ({
  revisions: 10,
  indexBytes,
  chunkBytes,
  wholeTexts: 1,
  snapshots: 2,
  againstP1: 3,
  againstP2: 4,
  againstOthers: 0,
  longestChain: 9,
  chainLinks: 55,
  chainBytes: 1000,
  ...more,
});

const history = (role: RevlogComparison['role'], name: string, ways: RevlogComparison['ways'] = []) => ({
  role,
  name,
  index: `${name}.i`,
  ways,
});

/** A comparison of a store whose manifests are half of it. */
function sampleReport(change: Partial<CompareReport['comparison']> = {}): CompareReport {
  return {
    subject: { root: '/somewhere/sample', selection: 'all', name: 'sample' },
    comparison: {
      root: '/somewhere/sample',
      selection: 'all',
      revlogs: 3,
      total: {
        'as-is': shape(400, 1600),
        'both-parents': shape(400, 600, { chainLinks: 20 }),
        'zstd-9': shape(400, 500),
      },
      manifests: { 'as-is': shape(100, 900), 'both-parents': shape(100, 100), 'zstd-9': shape(100, 80) },
      optimized: {},
      tooLarge: 0,
      detailed: [history('changelog', 'changelog'), history('file', 'a'), history('manifest', 'manifest')],
      gains: [],
      unwritable: { 'zstd-9': 'It is not one with zstd.' },
      seconds: 2,
      estimates: {},
      ...change,
    },
    recommendation: { policy: 'both-parents', verdict: '', reasons: [] },
    policyWords: { 'both-parents': 'Against both.', 'zstd-9': 'Level 9.' } as Record<PolicyName, string>,
    at: 0,
    storeState: '',
  };
}

describe("the comparison's tables", () => {
  it('have a row for how the store is, and one for each policy, before and after', () => {
    const rows = policyRows(sampleReport());
    deepEqual(
      rows.map(({ title, isRecommended, unwritable }) => [title, isRecommended, unwritable]),
      [
        ['as it is', false, undefined],
        ['both-parents', true, undefined],
        ['zstd-9', false, 'It is not one with zstd.'],
      ],
    );
    deepEqual(rows[0].store, { before: 2000, after: 2000, change: 0 });
    deepEqual(rows[1].store, { before: 2000, after: 1000, change: -0.5 });
    deepEqual(rows[1].manifests, { before: 1000, after: 200, change: -0.8 });
    deepEqual([rows[1].meanChain, rows[1].longestChain, rows[1].chunkBytes], [2, 9, 600]);
    equal(rows[1].words, 'Against both.');
    deepEqual(rows[1].kinds, { wholeTexts: 1, snapshots: 2, againstP1: 3, againstP2: 4, againstOthers: 0 });
  });

  it('leave the manifests out where there is nothing else, or none', () => {
    for (const report of [
      sampleReport({ manifests: {} }),
      sampleReport({ selection: 'manifest' }),
      sampleReport({ revlogs: 1 }),
    ]) {
      ok(policyRows(report).every(({ manifests }) => manifests === undefined));
    }
  });

  it('are empty for nothing, and divide by nothing', () => {
    deepEqual(policyRows(sampleReport({ total: {} })), []);
    const nothing = shape(0, 0, { revisions: 0, chainLinks: 0 });
    const [row] = policyRows(sampleReport({ total: { 'as-is': nothing } }));
    deepEqual([row.store.change, row.meanChain], [0, 0]);
  });
});

describe("the comparison's histories", () => {
  it('begin with the manifest', () => {
    deepEqual(
      shownHistories(sampleReport()).map(({ name }) => name),
      ['manifest', 'changelog', 'a'],
    );
  });

  it('cost what was measured, against how they are stored now', () => {
    const ways: RevlogComparison['ways'] = [
      { policy: 'as-is', shape: shape(1, 1), cost: { tip: 2, random: 4 } },
      { policy: 'both-parents', shape: shape(1, 1), cost: { tip: 3, random: 6 } },
    ];
    deepEqual(costRows(history('manifest', 'manifest', ways)), [
      { policy: 'as-is', tip: 2, random: 4, slowness: 1 },
      { policy: 'both-parents', tip: 3, random: 6, slowness: 1.5 },
    ]);
    const unmeasured = ways.map(({ policy, shape: own }) => ({ policy, shape: own }));
    deepEqual(costRows(history('manifest', 'manifest', unmeasured)), []);
  });

  it('have the curves of all policies over the same revisions', () => {
    const big = { revisions: 1000 };
    const curves = curvesOf(
      history('manifest', 'manifest', [
        { policy: 'as-is', shape: shape(1, 1, big), curve: [1, 50, 80, 70] },
        { policy: 'both-parents', shape: shape(1, 1, big), curve: [1, 20, 30, 10] },
      ]),
    );
    deepEqual(curves.revisions, [249, 499, 749, 999]);
    deepEqual(curves.lines[1], { policy: 'both-parents', lengths: [1, 20, 30, 10] });
    equal(
      curvesInWords(curves),
      'Lines of chain lengths over 1000 revisions: as it is up to 80, both-parents up to 30.',
    );
    equal(curvesInWords(curvesOf(history('file', 'a'))), 'No lines.');
  });
});

describe("the comparison's words", () => {
  it('say what a merge is a delta against', () => {
    const merge = { p1: 8, p2: 5 };
    deepEqual(
      [-1, 8, 5, 3].map((base) => baseInWords(base, merge)),
      ['stored whole', 'first parent 8', 'second parent 5', 'revision 3'],
    );
  });

  it('say a change with its sign, and no more digits than mean something', () => {
    deepEqual([-0.5, -0.1267, -0.0312, 0, -0.0001, 0.034, 1.5].map(changeInWords), [
      '−50 %',
      '−13 %',
      '−3.1 %',
      '0 %',
      '0 %',
      '+3.4 %',
      '+150 %',
    ]);
  });
});
