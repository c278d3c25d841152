import { deepEqual, equal, ok } from 'node:assert/strict';
import type { StoreComparison } from '../../../src/engine/compare/compareStore';
import type { PolicyName } from '../../../src/engine/compare/policies';
import { recommend } from '../../../src/engine/compare/recommend';
import { emptyShape } from '../../../src/engine/compare/storeShape';

type Way = PolicyName | 'as-is';

/** A comparison of a store that has these sizes and takes these milliseconds to read a random manifest. */
function comparison(sizes: Partial<Record<Way, number>>, reading: Partial<Record<Way, number>> = {}): StoreComparison {
  const ways = Object.keys(sizes) as Way[];
  const cost = (way: Way) => (reading[way] === undefined ? {} : { cost: { tip: 1, random: reading[way] } });
  return {
    root: '/somewhere',
    selection: 'all',
    revlogs: 3,
    total: {},
    manifests: {},
    optimized: sizes,
    tooLarge: 0,
    detailed: [
      {
        name: 'manifest',
        role: 'manifest',
        index: '00manifest.i',
        ways: ways.map((policy) => ({ policy, shape: emptyShape, ...cost(policy) })),
      },
    ],
    gains: [],
    unwritable: {},
    seconds: 1,
    estimates: {},
  };
}

describe('what is recommended after a comparison', () => {
  it('is the smallest store', () => {
    const { policy, verdict, reasons } = recommend(
      comparison(
        { 'as-is': 54_200_000, 'both-parents': 47_300_000, 'zstd-9': 40_000_000 },
        { 'as-is': 4, 'zstd-9': 4.5 },
      ),
    );
    equal(policy, 'zstd-9');
    ok(verdict.includes('14 MB, 26 %'), verdict);
    ok(reasons.some((reason) => reason.includes('4.00 ms became 4.50 ms')));
    ok(reasons.some((reason) => reason.includes('storage.revlog.zstd.level')));
  });

  it('is the policy that asks for no settings where others gain hardly more', () => {
    equal(recommend(comparison({ 'as-is': 1000, 'both-parents': 800, 'zstd-9': 790 })).policy, 'both-parents');
    equal(recommend(comparison({ 'as-is': 1000, 'both-parents': 800, 'zstd-9': 770 })).policy, 'zstd-9');
  });

  it('is not what makes reading slower than half as much again, unless nobody notices', () => {
    const sizes = { 'as-is': 1000, 'both-parents': 900, 'long-chains': 500 };
    equal(recommend(comparison(sizes, { 'as-is': 10, 'both-parents': 14, 'long-chains': 16 })).policy, 'both-parents');
    equal(recommend(comparison(sizes, { 'as-is': 1, 'both-parents': 1, 'long-chains': 4 })).policy, 'long-chains');
    const { policy, reasons } = recommend(
      comparison({ 'as-is': 1000, 'long-chains': 500 }, { 'as-is': 10, 'long-chains': 16 }),
    );
    equal(policy, undefined);
    deepEqual(reasons, [
      '“long-chains” would save 500 bytes of 1.0 kB, but reading a random text of manifest would take 16.0 ms instead of 10.0.',
    ]);
  });

  it('is not what the repository cannot be stored under, which is told', () => {
    const better = comparison({ 'as-is': 1000, 'both-parents': 900, 'zstd-9': 500 });
    better.unwritable = { 'zstd-9': 'It is not one with zstd.' };
    const { policy, reasons } = recommend(better);
    equal(policy, 'both-parents');
    ok(reasons.includes('“zstd-9” would come to 500 bytes. It is not one with zstd.'));
  });

  it('is to read faster where reading is slow, for not much more', () => {
    const slow = { 'as-is': 90, 'short-chains': 30 };
    equal(recommend(comparison({ 'as-is': 1000, 'short-chains': 1050 }, slow)).policy, 'short-chains');
    equal(recommend(comparison({ 'as-is': 1000, 'short-chains': 1200 }, slow)).policy, undefined);
  });

  it('is to leave the store alone where nothing is gained', () => {
    const { policy, verdict, reasons } = recommend(
      comparison({ 'as-is': 10_000, 'both-parents': 9_950, zlib: 12_000 }),
    );
    equal(policy, undefined);
    equal(verdict, 'Leave the store as it is.');
    deepEqual(reasons, ['No policy would save more than 50 bytes of 10 kB.']);
    const empty = comparison({});
    empty.revlogs = 0;
    deepEqual(recommend(empty).reasons, ['There is nothing in it.']);
  });

  it('counts the merges that gain, and what is too large', () => {
    const merging = comparison({ 'as-is': 1000, 'both-parents': 500 });
    const merge = { revlog: 'manifest', index: 'm', rev: 5, p1: 4, p2: 3, baseBefore: 4, baseAfter: 3 };
    merging.gains = [
      { ...merge, before: 400, after: 100 },
      { ...merge, before: 200, after: 100 },
    ];
    merging.tooLarge = 2;
    const { reasons } = recommend(merging);
    ok(reasons.includes('The 2 merges that gain most when both parents are looked at take 400 bytes less.'));
    ok(reasons.some((reason) => reason.includes('2 of its revlogs')));
  });
});
