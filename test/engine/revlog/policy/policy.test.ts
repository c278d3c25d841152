import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { policySettings } from '../../../../src/engine/compare/policies';
import { storeAgain } from '../../../../src/engine/compare/storedAgain';
import { zstdReady } from '../../../../src/engine/compression/block';
import { unattended } from '../../../../src/engine/io/operation';
import { ChainState, noSnapshot } from '../../../../src/engine/revlog/policy/chainState';
import { chooseDelta } from '../../../../src/engine/revlog/policy/chooseDelta';
import { deltaSettings, type DeltaSettings } from '../../../../src/engine/revlog/policy/deltaSettings';
import { isWithinLimits } from '../../../../src/engine/revlog/policy/limits';
import { Revlog } from '../../../../src/engine/revlog/revlog';
import { parseHgrc } from '../../../../src/engine/store/hgrc';
import { hg } from '../../../fixtures/hgCommand';

const ofSparse = new Set(['generaldelta', 'sparserevlog']);

describe('the delta policy', () => {
  let folder: string;
  before(async () => {
    await zstdReady;
    folder = mkdtempSync(join(tmpdir(), 'deltascope-policy-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  // The figures are those published with the change that made Mercurial look at both parents, in 2018.
  it('stores the merge of the published example against the parent that was published', () => {
    const root = publishedExample(join(folder, 'published'));
    const one = stored(root, false);
    deepEqual(linkOf(one, 2), { base: 'p1', chainLength: 3, textLength: 301 });
    near(one.chunkLengths[2], 65);
    near(one.chainSizes[2], 185);
    const both = stored(root, true);
    deepEqual(linkOf(both, 2), { base: 'p2', chainLength: 2, textLength: 301 });
    near(both.chunkLengths[2], 62);
    near(both.chainSizes[2], 121);
    const lindist = both.offsets[2] + both.chunkLengths[2];
    near(lindist, 182);
    near(lindist - both.chainSizes[2], 61);
  });

  it("is read from requirements and configuration by Mercurial's names", () => {
    const settings = (text: string, requirements = ofSparse) => deltaSettings(requirements, parseHgrc(text));
    deepEqual(settings(''), {
      isGeneraldelta: true,
      isSparse: true,
      bothParents: true,
      comparesWhole: true,
      maxChainLength: 1000,
      maxChainRatio: 2,
      maxSpanRatio: undefined,
      engine: 'zlib',
      level: undefined,
      reuse: 'judge',
    });
    equal(settings('[storage]\nrevlog.optimize-delta-parent-choice = no').bothParents, false);
    equal(settings('[format]\naggressivemergedeltas = off').bothParents, false);
    const both = '[format]\naggressivemergedeltas = off\n[storage]\nrevlog.optimize-delta-parent-choice = yes';
    equal(settings(both).bothParents, true);
    equal(settings('[format]\nmaxchainlen = 12').maxChainLength, 12);
    equal(settings('[storage]\nrevlog.zlib.level = 9').level, 9);
    equal(settings('[storage]\nrevlog.zstd.level = 9').level, undefined);
    equal(settings('[storage]\nrevlog.reuse-external-delta = no').reuse, 'never');
    equal(settings('[storage]\nrevlog.reuse-external-delta-parent = yes').reuse, 'always');
    const old = settings('', new Set());
    deepEqual([old.isGeneraldelta, old.isSparse, old.maxChainLength, old.maxSpanRatio], [false, false, undefined, 4]);
    equal(settings('', new Set([...ofSparse, 'revlog-compression-zstd'])).engine, 'zstd');
    equal(settings('', new Set([...ofSparse, 'exp-compression-none'])).engine, 'none');
  });

  it('knows snapshots by what they are deltas against', () => {
    const chains = chainsOf([
      [-1, -1, -1],
      [0, -1, 0],
      [1, -1, 0],
      [2, -1, 2],
      [3, -1, 3],
      [4, -1, 1],
    ]);
    deepEqual([...chains.levels.subarray(0, 6)], [0, noSnapshot, 1, noSnapshot, noSnapshot, noSnapshot]);
  });

  it('keeps chains within every limit', () => {
    const settings = deltaSettings(ofSparse, parseHgrc(''));
    const chains = chainsOf([
      [-1, -1, -1],
      [0, -1, 0],
      [1, -1, 1],
    ]);
    const fits = (changed: Partial<DeltaSettings>, base: number, chunk: number, textLength = 1000) =>
      isWithinLimits(chains, { ...settings, ...changed }, base, chunk, { p1: 2, p2: -1, textLength });
    equal(fits({}, 2, 100), true);
    equal(fits({}, 2, 1001), false);
    equal(fits({ maxChainLength: 3 }, 2, 100), false);
    equal(fits({ maxChainLength: 4 }, 2, 100), true);
    // Three chunks of 100 bytes are there.
    equal(fits({}, 2, 100, 200), true);
    equal(fits({}, 2, 101, 200), false);
    equal(fits({ maxSpanRatio: 0.4 }, 2, 100), true);
    equal(fits({ maxSpanRatio: 0.4 }, 2, 101), false);
    // Against revision 0 it would be a snapshot of the first level.
    equal(fits({}, 0, 500), true);
    equal(fits({}, 0, 501), false);
  });

  it('stores a text whole where a delta would be no smaller, and the smallest delta otherwise', () => {
    const settings = deltaSettings(ofSparse, parseHgrc(''));
    const chains = chainsOf([
      [-1, -1, -1],
      [0, -1, 0],
      [0, -1, 0],
    ]);
    const choose = (sizes: Record<number, number>, whole: number, one = settings) =>
      chooseDelta(chains, one, {
        p1: 1,
        p2: 2,
        textLength: 1000,
        chunkAgainst: (base) => new Uint8Array(sizes[base] ?? 5000),
        wholeChunk: () => new Uint8Array(whole),
      }).base;
    equal(choose({ 1: 90, 2: 80 }, 300), 2);
    equal(choose({ 1: 80, 2: 90 }, 300), 1);
    equal(choose({ 1: 80, 2: 90 }, 300, { ...settings, bothParents: false }), 2);
    equal(choose({ 1: 400, 2: 500 }, 300), -1);
    equal(choose({ 0: 200 }, 300), 0);
    equal(choose({}, 300), -1);
    ok(chains.length === 3);
  });
});

function publishedExample(root: string): string {
  const init = ['--config', 'format.sparse-revlog=no', '--config', 'format.revlog-compression=zlib'];
  hg(tmpdir(), ['init', root, ...init]);
  const commit = (files: string, message: string) => {
    for (const name of files) writeFileSync(join(root, name), '');
    hg(root, ['commit', '-qAm', message, '-d', '0 0']);
  };
  commit('abcde', 'side1');
  hg(root, ['update', '-q', 'null']);
  commit('xy', 'side2');
  hg(root, ['merge', '-q', '-r', '0']);
  hg(root, ['commit', '-qm', 'merge', '-d', '0 0']);
  return root;
}

/** The manifest's chains as they would have been written in 2018: without sparse-revlog, with zlib. */
function stored(root: string, bothParents: boolean): ChainState {
  const own = deltaSettings(new Set(['generaldelta']), new Map());
  using source = Revlog.open(join(root, '.hg/store/00manifest.i'));
  const sink = { add: () => undefined };
  return storeAgain(
    source,
    [{ settings: { ...policySettings('without-sparse', own), bothParents }, sink }],
    unattended,
  )[0];
}

function linkOf({ bases, p1s, chainLengths, textLengths }: ChainState, rev: number) {
  const base = bases[rev] === p1s[rev] ? 'p1' : 'p2';
  return { base, chainLength: chainLengths[rev], textLength: textLengths[rev] };
}

/** Versions of zlib differ by a byte or two. */
function near(actual: number, published: number): void {
  ok(Math.abs(actual - published) <= 3, `${actual} and not about ${published}`);
}

/** Revisions as parents and base; each chunk has 100 bytes, each text 1,000. */
function chainsOf(revisions: [number, number, number][]): ChainState {
  const chains = new ChainState(true);
  for (const [p1, p2, base] of revisions) chains.add({ p1, p2, base, chunkLength: 100, textLength: 1000 });
  return chains;
}
