import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { casesOf } from '../../fixtures/howMuch';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { compareStore } from '../../../src/engine/compare/compareStore';
import { policyNames, type PolicyName } from '../../../src/engine/compare/policies';
import { diskBytes } from '../../../src/engine/compare/storeShape';
import { unattended, type Operation } from '../../../src/engine/io/operation';
import { WorkerPool } from '../../../src/engine/io/workerPool';
import {
  confirmOptimize,
  finishOptimize,
  optimizeState,
  optimizeStore,
  undoOptimize,
} from '../../../src/engine/optimize/optimizeStore';
import type { Tasks } from '../../../src/engine/tasks';
import { chainRepository, type ChainRepositoryKind } from '../../fixtures/chainRepositories';
import { DeltascopeProgram } from '../../fixtures/deltascopeProgram';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText, tryHg } from '../../fixtures/hgCommand';
import { killOptimize } from '../../fixtures/killedOptimize';
import {
  buildRepositoryToOptimize,
  copyOf,
  everything,
  revlogBytes,
  revlogFiles,
} from '../../fixtures/optimizeRepository';
import { pseudoRandom } from '../../fixtures/sourceHistory';

describe('optimising a store', () => {
  const folder = temporaryFolder('optimize');
  let program: DeltascopeProgram;
  let workers: WorkerPool<Tasks>;
  let original: string;
  let made = 0;
  const copy = () => copyOf(original, join(folder.path, `copy${made++}`));
  const optimize = (root: string, policy: PolicyName = 'both-parents', operation = unattended) =>
    optimizeStore({ folder: root, selection: 'all', policy, patience: 0 }, operation, workers);

  before(async () => {
    program = await DeltascopeProgram.build();
    workers = new WorkerPool<Tasks>(program.worker);
    original = await buildRepositoryToOptimize(folder.path);
  });
  after(async () => {
    await workers.dispose();
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('changes no text, and hg verifies, commits and pulls on top', async () => {
    const root = copy();
    const summary = await optimize(root);
    equal(revlogBytes(root), summary.after);
    equal(revlogBytes(original), summary.before);
    ok(summary.after < summary.before);
    hg(root, ['verify', '-q']);
    equal(everything(root), everything(original));
    const clone = join(folder.path, 'clone');
    hg(folder.path, ['clone', '-q', '--pull', original, clone]);
    writeFileSync(join(clone, 'new'), 'a file\n');
    hg(clone, ['commit', '-qAm', 'elsewhere', '-d', '0 0']);
    hg(root, ['pull', '-q', clone]);
    hg(root, ['update', '-q', '-C', '-r', 'tip']);
    writeFileSync(join(root, 'file1'), 'changed\n');
    hg(root, ['commit', '-qm', 'here', '-d', '0 0']);
    hg(root, ['verify', '-q']);
    equal(hgText(root, ['log', '-r', 'tip~1:tip', '-T', '{desc} ']), 'elsewhere here ');
  });

  for (const kind of casesOf(['zlib', 'zstd', 'snapshots', 'noGeneraldelta'] as const, ['zstd', 'noGeneraldelta'])) {
    it(`comes to what was predicted, to the byte, under every policy: ${kind}`, async () => {
      await predictAndWrite(kind);
    });
  }

  for (const kind of casesOf(['branches', 'snapshots', 'merges'] as const, ['merges'])) {
    it(`takes no more than what hg makes of the same history: ${kind}`, async () => {
      const source = await chainRepository(kind);
      const theirs = copyOf(source, join(folder.path, 'theirs'));
      hg(theirs, ['debugupgraderepo', '--optimize', 're-delta-all', '--run', '--no-backup', '-q']);
      const root = copyOf(source, join(folder.path, 'ours'));
      await optimize(root);
      ok(revlogBytes(root) <= revlogBytes(theirs), `${revlogBytes(root)} and ${revlogBytes(theirs)}`);
      hg(root, ['verify', '-q']);
    });
  }

  async function predictAndWrite(kind: ChainRepositoryKind): Promise<void> {
    const source = await chainRepository(kind);
    const { total } = await compareStore(
      { folder: source, selection: 'all', policies: policyNames },
      unattended,
      workers,
    );
    equal(total['as-is'] === undefined ? -1 : diskBytes(total['as-is']), revlogBytes(source));
    const isZstd = /compression:\s+zstd/.test(hgText(source, ['debugformat']));
    for (const policy of policyNames) {
      const root = copyOf(source, join(folder.path, 'predicted'));
      if (!isZstd && total[policy] !== undefined && policy.startsWith('zstd')) {
        await rejects(optimize(root, policy), { kind: 'unsupported' });
        continue;
      }
      const summary = await optimize(root, policy);
      const predicted = total[policy];
      ok(predicted !== undefined);
      equal(revlogBytes(root), diskBytes(predicted), policy);
      equal(summary.after, diskBytes(predicted), policy);
      if (policy !== 'without-sparse') continue;
      hg(root, ['verify', '-q']);
      equal(everything(root), everything(source));
    }
  }

  it('leaves alone what is too large to be replaced in use, and says so beforehand', async () => {
    const root = copy();
    const manifest = ['.i', '.d'].map((end) => join(root, `.hg/store/00manifest${end}`)).filter(existsSync);
    const largestReplaced = manifest.reduce((sum, path) => sum + statSync(path).size, 0) - 1;
    const request = { folder: root, selection: 'all', largestReplaced } as const;
    const { optimized, total, tooLarge } = await compareStore(request, unattended, workers);
    const summary = await optimizeStore({ ...request, policy: 'both-parents' }, unattended, workers);
    equal(summary.tooLarge, 1);
    equal(tooLarge, 1);
    equal(summary.before, optimized['as-is']);
    equal(summary.after, optimized['both-parents']);
    equal(revlogBytes(root), optimized['both-parents']);
    ok(diskBytes(total['both-parents']!) < summary.after);
    hg(root, ['verify', '-q']);
  });

  it('tells an optimisation that was broken off from one that is under way', async () => {
    const root = copy();
    const kept = join(root, '.hg/deltascope-optimize');
    const lock = join(root, '.hg/store/lock');
    await optimize(root);
    // As it is left by a crash between the last replacement and the end.
    mkdirSync(join(kept, 'new'));
    equal(optimizeState(root), 'brokenOff');
    symlinkSync(`${hostname()}-elsewhere:1`, lock);
    equal(optimizeState(root), 'underWay');
    unlinkSync(lock);
    equal(await finishOptimize(root, unattended), true);
    equal(optimizeState(root), 'unconfirmed');
    await undoOptimize(root, unattended);
    deepEqual(revlogFiles(root), revlogFiles(original));
    // Before a plan was written nothing of the store has changed.
    mkdirSync(join(kept, 'new'), { recursive: true });
    equal(optimizeState(root), 'brokenOff');
    equal(await finishOptimize(root, unattended), true);
    equal(optimizeState(root), 'none');
    deepEqual(revlogFiles(root), revlogFiles(original));
  });

  it('keeps the old store until it is confirmed, or brings it back', async () => {
    const root = copy();
    equal(optimizeState(root), 'none');
    await optimize(root);
    equal(optimizeState(root), 'unconfirmed');
    await rejects(optimize(root), { kind: 'destination' });
    await undoOptimize(root, unattended);
    deepEqual(revlogFiles(root), revlogFiles(original));
    equal(optimizeState(root), 'none');
    await optimize(root);
    await confirmOptimize(root, unattended);
    equal(existsSync(join(root, '.hg/deltascope-optimize')), false);
    await rejects(undoOptimize(root, unattended), { kind: 'destination' });
    const again = await optimize(root);
    equal(again.replaced, 0);
    equal(optimizeState(root), 'none');
    hg(root, ['verify', '-q']);
  });

  it('does not take back what was committed since', async () => {
    const root = copy();
    await optimize(root);
    writeFileSync(join(root, 'file3'), 'since\n');
    hg(root, ['commit', '-qm', 'since', '-d', '0 0']);
    await rejects(undoOptimize(root, unattended), { kind: 'destination' });
    equal(hgText(root, ['log', '-r', 'tip', '-T', '{desc}']), 'since');
    await confirmOptimize(root, unattended);
    hg(root, ['verify', '-q']);
  });

  it('leaves nothing for hg rollback, which would cut files in the wrong place', async () => {
    const root = copy();
    ok(existsSync(join(root, '.hg/store/undo')));
    await optimize(root);
    const { code } = tryHg(root, ['rollback', '--config', 'ui.rollback=yes']);
    equal(code, 1);
    hg(root, ['verify', '-q']);
  });

  it('does not touch the files of a clone that shares them', async () => {
    const root = copy();
    const clone = join(folder.path, 'linked');
    hg(folder.path, ['clone', '-q', '-U', root, clone]);
    ok(statSync(join(clone, '.hg/store/00manifest.i')).nlink > 1);
    const before = revlogFiles(clone);
    await optimize(root);
    deepEqual(revlogFiles(clone), before);
    await undoOptimize(root, unattended);
    deepEqual(revlogFiles(clone), before);
    await optimize(clone);
    deepEqual(revlogFiles(root), revlogFiles(original));
    hg(clone, ['verify', '-q']);
  });

  it('waits for nobody for ever: a lock that is held, a transaction that was broken off', async () => {
    const root = copy();
    const lock = join(root, '.hg/store/lock');
    symlinkSync(`${hostname()}-elsewhere:1`, lock);
    await rejects(optimize(root), { kind: 'lockHeld' });
    deepEqual(revlogFiles(root), revlogFiles(original));
    const interrupted = copy();
    writeFileSync(join(interrupted, '.hg/store/journal'), '');
    await rejects(optimize(interrupted), { kind: 'destination' });
    equal(existsSync(join(interrupted, '.hg/deltascope-optimize')), false);
    equal(existsSync(join(interrupted, '.hg/store/lock')), false);
  });

  it('leaves the old store when it is cancelled, or a text is damaged', async () => {
    const root = copy();
    const stop = new AbortController();
    const operation: Operation = { ...unattended, signal: stop.signal, progress: () => stop.abort() };
    await rejects(optimize(root, 'both-parents', operation), { kind: 'cancelled' });
    deepEqual(revlogFiles(root), revlogFiles(original));
    equal(optimizeState(root), 'none');
    const damaged = copy();
    const path = join(damaged, '.hg/store/data/file1.i');
    const bytes = readFileSync(path);
    bytes[bytes.length - 20] ^= 0xff;
    writeFileSync(path, bytes);
    const files = revlogFiles(damaged);
    await rejects(optimize(damaged), (error: { kind?: string }) => ['corrupt', 'integrity'].includes(error.kind ?? ''));
    deepEqual(revlogFiles(damaged), files);
    equal(optimizeState(damaged), 'none');
  });

  it('touches nothing when the plan that it finds cannot be read', async () => {
    const root = copy();
    await optimize(root);
    const plan = join(root, '.hg/deltascope-optimize/plan.json');
    const whole = readFileSync(plan);
    const files = revlogFiles(root);
    for (const bytes of [Buffer.alloc(0), whole.subarray(0, whole.length / 2), Buffer.from('{"version":2}')]) {
      writeFileSync(plan, bytes);
      await rejects(finishOptimize(root, unattended), { kind: 'corrupt' });
      await rejects(undoOptimize(root, unattended), { kind: 'corrupt' });
      equal(existsSync(join(root, '.hg/store/lock')), false);
    }
    writeFileSync(plan, whole);
    await undoOptimize(root, unattended);
    ok([...files].some(([name, bytes]) => revlogFiles(root).get(name) !== bytes));
    deepEqual(revlogFiles(root), revlogFiles(original));
  });

  it('leaves the old store or the new one when it is killed', async () => {
    const kills = await killOptimize(program, original, folder.path, 6, pseudoRandom(31));
    equal(kills.old + kills.new, 6);
    equal(await finishOptimize(original, unattended), false);
  });

  it('is told from the command line', () => {
    const root = copy();
    const json = (...args: string[]) => {
      const run = program.run(...args);
      equal(run.code, 0, run.stderr);
      return JSON.parse(run.stdout) as Record<string, number>;
    };
    const compared = program.run('compare', root, '--manifest', '--policies', 'both-parents,short-chains');
    equal(compared.code, 0, compared.stderr);
    ok(/^both-parents +\d/m.test(compared.stdout) && /^short-chains +\d/m.test(compared.stdout));
    const dry = json('optimize', root, '--dry-run', '--json');
    deepEqual(revlogFiles(root), revlogFiles(original));
    const real = json('optimize', root, '--json');
    equal(real.after, dry.after);
    equal(program.run('optimize', root, '--undo').code, 0);
    deepEqual(revlogFiles(root), revlogFiles(original));
    const unknown = program.run('compare', root, '--policies', 'best');
    equal(unknown.code, 1);
    ok(unknown.stderr.includes('best'));
  });
});
