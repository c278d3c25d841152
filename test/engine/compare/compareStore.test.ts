import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { join } from 'node:path';
import { compareStore } from '../../../src/engine/compare/compareStore';
import { checkWritable, parsePolicy, policySettings, usualPolicies } from '../../../src/engine/compare/policies';
import { inShares, type SizedRevlog } from '../../../src/engine/compare/shares';
import { diskBytes } from '../../../src/engine/compare/storeShape';
import { unattended, type Operation, type ProgressEvent } from '../../../src/engine/io/operation';
import { WorkerPool } from '../../../src/engine/io/workerPool';
import { deltaSettings } from '../../../src/engine/revlog/policy/deltaSettings';
import { summarizeChains } from '../../../src/engine/revlog/chainSummary';
import { everyDetail, readChainColumns } from '../../../src/engine/revlog/readChainColumns';
import type { Tasks } from '../../../src/engine/tasks';
import { chainRepository } from '../../fixtures/chainRepositories';
import { DeltascopeProgram } from '../../fixtures/deltascopeProgram';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';
import { revlogBytes, revlogFiles } from '../../fixtures/optimizeRepository';

describe('comparing ways to store a history', () => {
  const folder = temporaryFolder('compare');
  let program: DeltascopeProgram;
  let workers: WorkerPool<Tasks>;
  before(async () => {
    program = await DeltascopeProgram.build();
    workers = new WorkerPool<Tasks>(program.worker);
  });
  after(async () => {
    await workers.dispose();
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('changes nothing, and knows how the store is now', async () => {
    const root = await chainRepository('snapshots');
    const before = revlogFiles(root);
    const { total, detailed } = await compareStore({ folder: root, selection: 'all' }, unattended, workers);
    deepEqual(revlogFiles(root), before);
    equal(total['as-is'] === undefined ? 0 : diskBytes(total['as-is']), revlogBytes(root));
    const manifest = detailed.find(({ role }) => role === 'manifest');
    const shape = manifest?.ways[0].shape;
    const source = { path: join(root, '.hg/store/00manifest.i'), isSparse: true };
    const { types, longestChain } = summarizeChains(readChainColumns(source, everyDetail, unattended).columns);
    equal(shape?.longestChain, longestChain + 1);
    equal(shape.wholeTexts, types.base?.revisions ?? 0);
    equal(shape.snapshots, types.snap?.revisions ?? 0);
    equal(shape.againstP1, types.p1?.revisions ?? 0);
    equal(shape.againstP2, types.p2?.revisions ?? 0);
  });

  it('measures what reading costs, and gives the lengths of chains over revisions', async () => {
    const root = await chainRepository('merges');
    const { detailed } = await compareStore({ folder: root, selection: 'manifest' }, unattended, workers);
    equal(detailed.length, 1);
    for (const { shape, cost, curve, policy } of detailed[0].ways) {
      ok(cost !== undefined && cost.tip > 0 && cost.random > 0, policy);
      equal(Math.max(...(curve ?? [])), shape.longestChain);
      equal(curve?.length, Math.min(400, shape.revisions));
    }
  });

  it('shows the merges that gain most, and that both parents never take more than one', async () => {
    const root = join(folder.path, 'merging');
    hg(folder.path, ['init', root]);
    hg(root, ['debugbuilddag', '-q', '--new-file', `+9:a ${'<a+7:b <a+5/b:a '.repeat(12)}`]);
    const { manifests, gains } = await compareStore({ folder: root, selection: 'manifest' }, unattended, workers);
    const sizeOf = (name: keyof typeof manifests) => {
      const shape = manifests[name];
      ok(shape !== undefined);
      return shape.chunkBytes;
    };
    ok(sizeOf('both-parents') < sizeOf('as-is'));
    ok(sizeOf('both-parents') <= sizeOf('one-parent'));
    ok(gains.length > 0 && gains.length <= 20);
    for (const { revlog, rev, p1, p2, baseAfter } of gains) {
      equal(revlog, 'manifest');
      const parents = hgText(root, ['log', '-r', String(rev), '-T', '{p1rev} {p2rev}']);
      equal(`${p1} ${p2}`, parents);
      ok([p1, p2].includes(baseAfter) || baseAfter < rev);
    }
    const gained = gains.map(({ before, after }) => before - after);
    deepEqual(
      gained,
      [...gained].sort((one, other) => other - one),
    );
  });

  it('looks at the one revlog that is meant, and says about how long writing it takes', async () => {
    const root = await chainRepository('merges');
    const index = join(root, '.hg/store/data/text.i');
    const comparison = await compareStore({ folder: root, selection: { index } }, unattended, workers);
    equal(comparison.revlogs, 1);
    deepEqual(
      comparison.detailed.map((revlog) => [revlog.name, revlog.index, revlog.ways.length]),
      [['text', index, usualPolicies.length + 1]],
    );
    for (const policy of usualPolicies) {
      const estimate = comparison.estimates[policy] ?? 0;
      ok(estimate > 0 && estimate < comparison.seconds, policy);
    }
    ok((comparison.estimates['zstd-9'] ?? 0) > (comparison.estimates['both-parents'] ?? 0));
  });

  it('names the policies that the repository cannot be stored under', async () => {
    const changelog = async (kind: 'zlib' | 'zstd') =>
      compareStore({ folder: await chainRepository(kind), selection: 'changelog' }, unattended, workers);
    const zlib = await changelog('zlib');
    deepEqual(Object.keys(zlib.unwritable), ['zstd', 'zstd-9']);
    ok(zlib.unwritable.zstd?.includes('debugupgraderepo'));
    const zstd = await changelog('zstd');
    deepEqual(zstd.unwritable, {});
  });

  it('reports every byte once, and stops when it is told to', async () => {
    const root = await chainRepository('zlib');
    const events: ProgressEvent[] = [];
    await compareStore(
      { folder: root, selection: 'all', policies: ['both-parents'] },
      { ...unattended, progress: (event) => events.push(event) },
      workers,
    );
    const last = events[events.length - 1];
    ok(last.type === 'phase' && last.state === 'done');
    equal(last.done, revlogBytes(root));
    equal(last.total, last.done);
    const stop = new AbortController();
    const operation: Operation = { ...unattended, signal: stop.signal, progress: () => stop.abort() };
    await rejects(compareStore({ folder: root, selection: 'all' }, operation, workers), { kind: 'cancelled' });
  });

  it('refuses what is no repository, no policy, or not to be written there', async () => {
    await rejects(compareStore({ folder: folder.path, selection: 'all' }, unattended, workers), {
      kind: 'destination',
    });
    throws(() => parsePolicy('best'), { kind: 'destination', subject: 'best' });
    const requirements = new Set(['generaldelta', 'sparserevlog']);
    const settings = policySettings('zstd-9', deltaSettings(requirements, new Map()));
    throws(() => checkWritable('zstd-9', settings, requirements), { kind: 'unsupported' });
    checkWritable('zstd-9', settings, new Set([...requirements, 'revlog-compression-zstd']));
  });

  it('gives workers the largest revlogs first, and small ones together', () => {
    const revlog = (bytes: number): SizedRevlog => ({ role: 'file', name: 'a', path: 'a.i', chunkPath: 'a.d', bytes });
    const shares = inShares([10, 3 << 20, 20, 1 << 20, 1 << 20].map(revlog));
    deepEqual(
      shares.map((share) => share.map(({ bytes }) => bytes)),
      [[3 << 20], [1 << 20, 1 << 20], [20, 10]],
    );
    equal(inShares(Array.from({ length: 600 }, () => revlog(1))).length, 3);
  });
});
