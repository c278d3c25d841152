import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import { unattended, type ProgressEvent } from '../../../src/engine/io/operation';
import { locateRepository } from '../../../src/engine/store/repositoryFolders';
import { checkout, checkoutBatch, finishCheckout, planCheckout } from '../../../src/engine/workingcopy/checkout';
import {
  resolveRevision,
  type ResolvedRevision,
  type RevisionWish,
} from '../../../src/engine/workingcopy/resolveRevision';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository, repositoryKinds, type RepositoryKind } from '../../fixtures/repositories';

/** A clone without a working copy, made by hg. */
function bareClone(kind: RepositoryKind, path: string): string {
  hg(path, ['clone', '-q', '-U', '--pull', repository(kind), 'ours']);
  return join(path, 'ours');
}

function resolved(root: string, wish?: RevisionWish): ResolvedRevision {
  const revision = resolveRevision(locateRepository(root), wish);
  if (revision === undefined) throw new Error('nothing to check out');
  return revision;
}

/** Every file of a working copy: its path, as bytes in Latin-1, with mode and content. */
function workingCopy(root: string): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (folder: Buffer): void => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const shown = path.subarray(root.length + 1).toString('latin1');
      if (shown === '.hg') continue;
      const entry = lstatSync(path);
      if (entry.isDirectory()) walk(path);
      else
        files.set(shown, `${entry.mode} ${entry.size} ${entry.isSymbolicLink() ? readlinkSync(path) : hashOf(path)}`);
    }
  };
  walk(Buffer.from(root));
  return files;
}

const hashOf = (path: Buffer) => createHash('sha1').update(readFileSync(path)).digest('hex');

describe('a checkout', () => {
  before(() => zstdReady);

  for (const kind of repositoryKinds) {
    if (kind === 'empty') continue;
    it(`of the repository ${kind} is the one that hg makes, and clean at once`, async () => {
      using folder = temporaryFolder('checkout');
      const ours = bareClone(kind, folder.path);
      await checkout(locateRepository(ours), resolved(ours), unattended);
      hg(folder.path, ['clone', '-q', '--pull', repository(kind), 'theirs']);
      const theirs = join(folder.path, 'theirs');
      deepEqual(workingCopy(ours), workingCopy(theirs));
      equal(hgText(ours, ['status']), '');
      equal(hgText(ours, ['identify', '-inbB']), hgText(theirs, ['identify', '-inbB']));
      equal(
        hgText(ours, ['debugdirstate', '--no-dates']).split('\n').length,
        hgText(theirs, ['files']).split('\n').length,
      );
      equal(readFileSync(join(ours, '.hg', 'branch'), 'latin1'), readFileSync(join(theirs, '.hg', 'branch'), 'latin1'));
      hg(ours, ['update', '-q', '0']);
      hg(theirs, ['update', '-q', '0']);
      deepEqual(workingCopy(ours), workingCopy(theirs));
      hg(ours, ['update', '-q', 'null']);
      deepEqual(workingCopy(ours), new Map());
    });
  }

  it('can be of any revision', async () => {
    const count = Number(hgText(repository('renames'), ['log', '-r', 'tip', '-T', '{rev}'])) + 1;
    for (let rev = 0; rev < count; rev++) {
      using folder = temporaryFolder('checkout');
      const ours = bareClone('renames', folder.path);
      await checkout(locateRepository(ours), resolved(ours, { revision: String(rev) }), unattended);
      hg(folder.path, ['clone', '-q', '--pull', '-u', String(rev), repository('renames'), 'theirs']);
      deepEqual(workingCopy(ours), workingCopy(join(folder.path, 'theirs')));
      equal(hgText(ours, ['status']), '');
    }
  });

  it('can be spread over threads: batches in any order, plan and results posted', async () => {
    using folder = temporaryFolder('checkout');
    const ours = locateRepository(bareClone('manyFiles', folder.path));
    const plan = structuredClone(planCheckout(ours, resolved(ours.root)));
    ok(plan.batches.length > 2);
    const results = await Promise.all(
      [...plan.batches].reverse().map((batch) => checkoutBatch(ours, plan, batch, unattended)),
    );
    finishCheckout(ours, plan, structuredClone(results));
    equal(
      hgText(ours.root, ['status', '--all'])
        .split('\n')
        .filter((line) => line.startsWith('C ')).length,
      1025,
    );
  });

  it('tells how far it is', async () => {
    using folder = temporaryFolder('checkout');
    const ours = locateRepository(bareClone('manyFiles', folder.path));
    const events: ProgressEvent[] = [];
    await checkout(ours, resolved(ours.root), { ...unattended, progress: (event) => events.push(event) });
    deepEqual(events.at(-1), {
      type: 'phase',
      phase: 'checkout',
      state: 'done',
      done: 1025,
      total: 1025,
      unit: 'files',
    });
    ok(events.length > 4);
  });

  it('can be stopped', async () => {
    using folder = temporaryFolder('checkout');
    const ours = locateRepository(bareClone('manyFiles', folder.path));
    const controller = new AbortController();
    const operation = { ...unattended, signal: controller.signal, progress: () => controller.abort() };
    await rejects(checkout(ours, resolved(ours.root), operation), { kind: 'cancelled' });
  });

  it('does not write over what is there, nor through a link that is there', async () => {
    using folder = temporaryFolder('checkout');
    const ours = locateRepository(bareClone('modes', folder.path));
    writeFileSync(join(ours.root, 'plain'), 'theirs');
    await rejects(checkout(ours, resolved(ours.root), unattended), { kind: 'destination', subject: 'plain' });
    equal(readFileSync(join(ours.root, 'plain'), 'utf8'), 'theirs');
    using other = temporaryFolder('checkout');
    const linked = locateRepository(bareClone('modes', other.path));
    symlinkSync('..', join(linked.root, 'folder'));
    await rejects(checkout(linked, resolved(linked.root), unattended), { kind: 'destination' });
    deepEqual(readdirSync(other.path), ['ours']);
  });

  it('names the folders that come from other repositories', async () => {
    using folder = temporaryFolder('checkout');
    hg(folder.path, ['init', 'r']);
    const root = join(folder.path, 'r');
    hg(root, ['init', 'sub']);
    writeFileSync(join(root, 'sub', 'file'), 'x');
    hg(join(root, 'sub'), ['commit', '-qAm', 'sub']);
    writeFileSync(join(root, '.hgsub'), 'sub = sub\n');
    hg(root, ['add', '.hgsub']);
    hg(root, ['commit', '-qm', 'main']);
    hg(root, ['update', '-q', 'null']);
    rmSync(join(root, 'sub'), { recursive: true, force: true });
    const plan = await checkout(locateRepository(root), resolved(root), unattended);
    deepEqual(plan.subrepositories, ['sub']);
    ok(!readdirSync(root).includes('sub'));
  });

  it('keeps no large file in memory that is stored whole', () => {
    using folder = temporaryFolder('checkout');
    const ours = bareClone('sizes', folder.path);
    const script = join(import.meta.dirname, '../../fixtures/measureCheckout.ts');
    const run = spawnSync(process.execPath, ['--import', 'tsx', script, ours]);
    const kilobytes = Number(run.stdout.toString().split(' ')[1]);
    ok(kilobytes < 60_000, `${kilobytes} kB ${run.stderr.toString()}`);
  });
});
