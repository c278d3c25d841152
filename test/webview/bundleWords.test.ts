import assert from 'node:assert/strict';
import type { BundleShown, ShownChangeset } from '../../src/protocol/bundlePage';
import { figuresOf, kindInWords, matches, partInWords, phaseInWords } from '../../src/webview/bundle/words';

const bundle: BundleShown = {
  title: 'b.hg',
  path: '/b.hg',
  bytes: 3700,
  kind: 'HG20',
  compression: 'zstd',
  parameters: [],
  parts: [{ type: 'changegroup', mandatory: true, parameters: [], bytes: 8500 }],
  changesets: [],
  unreadable: [],
  bookmarks: [],
  markers: 0,
};
const changeset = {
  node: '7abc'.padEnd(40, '0'),
  user: 'Ann <ann@example.org>',
  branch: 'stable',
  description: 'Change module 12',
  phase: 1,
} as ShownChangeset;

describe('a bundle in words', () => {
  it('names its kind and its compression', () => {
    assert.equal(kindInWords(bundle), 'Bundle of version 2 (HG20), compressed with zstd.');
    assert.equal(
      kindInWords({ kind: 'HGS1', compression: 'none' }),
      'Stream bundle of version 1 (HGS1), not compressed.',
    );
  });

  it('has figures of what it holds, and none of what it does not', () => {
    assert.deepEqual(
      figuresOf(bundle).map(({ label, value }) => `${label} ${value}`),
      ['On disk 3.7 kB', 'Unpacked 8.5 kB'],
    );
    const stream = { ...bundle, stream: { files: 1030, bytes: 95_897, requirements: ['store'] } };
    assert.deepEqual(figuresOf(stream).at(-1)?.value, '1,030');
    assert.equal(partInWords('stream2', stream), '1,030 store files of 96 kB');
    assert.equal(partInWords('never-heard-of', bundle), '');
  });

  it('finds changesets by words in any case, and by the beginning of a node', () => {
    for (const filter of ['ann module', 'STABLE draft', '7abc', 'example.org 12'])
      assert.ok(matches(changeset, filter), filter);
    for (const filter of ['bob', 'abc', '7ab', 'ann public']) assert.ok(!matches(changeset, filter), filter);
    assert.deepEqual([0, 1, 2, undefined, 77].map(phaseInWords), ['public', 'draft', 'secret', '', '77']);
  });
});
