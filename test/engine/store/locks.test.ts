import { equal, match, ok, rejects } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unattended } from '../../../src/engine/io/operation';
import { isAlive } from '../../../src/engine/io/isAlive';
import { acquireLock, lockHolder, storeLock, tryLock, type Lock } from '../../../src/engine/store/locks';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, tryHg } from '../../fixtures/hgCommand';

/** The id of a process that has ended. */
const deadPid = () => spawnSync('true').pid;

/** A repository with something to commit, and the place of its store's lock. */
function somethingToCommit(path: string): { root: string; path: string } {
  hg(path, ['init', 'r']);
  const root = join(path, 'r');
  writeFileSync(join(root, 'file'), 'x');
  return { root, path: storeLock(join(root, '.hg', 'store')) };
}

function take(path: string): Lock {
  const lock = tryLock(path);
  if ('pid' in lock) throw new Error(`held by ${lock.pid}`);
  return lock;
}

/** What hg itself writes into a lock, apart from its process id. */
function hgHost({ root, path }: { root: string; path: string }): string {
  hg(root, ['commit', '-qAm', 'x', '--config', `hooks.pretxncommit=readlink '${path}' > '${root}/lock.txt'`]);
  return readFileSync(join(root, 'lock.txt'), 'utf8').replace(/:\d+\n$/, '');
}

describe('locks', () => {
  it('keep hg out while they are held, and tell it by whom', () => {
    using folder = temporaryFolder('locks');
    const { root, path } = somethingToCommit(folder.path);
    const lock = take(path);
    const kept = tryHg(root, ['commit', '-Am', 'x', '--config', 'ui.timeout=0']);
    ok(kept.code !== 0);
    match(kept.stderr, new RegExp(`:${process.pid}'`));
    equal(existsSync(join(root, '.hg', 'store', '00changelog.i')), false);
    lock.release();
    lock.release();
    hg(root, ['commit', '-Am', 'x']);
  });

  it('name the holder as hg does', () => {
    using folder = temporaryFolder('locks');
    const repository = somethingToCommit(folder.path);
    const host = hgHost(repository);
    using lock = take(repository.path);
    equal(readlinkSync(lock.path), `${host}:${process.pid}`);
    equal(lockHolder(lock.path)?.host, host);
  });

  it('that hg holds keep us out, with an error that names the process, until it ends', async () => {
    using folder = temporaryFolder('locks');
    const { root, path } = somethingToCommit(folder.path);
    const holder = spawn('hg', ['-R', root, 'debuglock', '--set-lock'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, HGRCPATH: '' },
    });
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (lockHolder(path) === undefined) return;
        clearInterval(look);
        resolve();
      }, 20);
    });
    await rejects(acquireLock(path, 0, unattended), { kind: 'lockHeld', subject: `process ${lockHolder(path)?.pid}` });
    const waiting = acquireLock(path, 20_000, unattended);
    holder.kill('SIGINT');
    holder.stdin.end('\n');
    (await waiting).release();
    if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'exit');
    equal(existsSync(path), false);
  });

  it('of a dead process of this machine are taken over, as a link or as a file', () => {
    using folder = temporaryFolder('locks');
    const repository = somethingToCommit(folder.path);
    const host = hgHost(repository);
    symlinkSync(`${host}:${deadPid()}`, repository.path);
    take(repository.path).release();
    writeFileSync(repository.path, `${host}:${deadPid()}`);
    take(repository.path).release();
    equal(existsSync(repository.path), false);
    equal(existsSync(`${repository.path}.break`), false);
  });

  it('of another machine, of another container, and what cannot be understood, stand', async () => {
    using folder = temporaryFolder('locks');
    const repository = somethingToCommit(folder.path);
    const host = hgHost(repository);
    for (const content of [
      `elsewhere:${deadPid()}`,
      `${host}0:${deadPid()}`,
      `${host.split('/')[0]}:${deadPid()}`,
      'nonsense',
      `${host}:x`,
    ]) {
      using place = temporaryFolder('lock');
      const path = join(place.path, 'lock');
      symlinkSync(content, path);
      await rejects(acquireLock(path, 0, unattended), { kind: 'lockHeld' }, content);
      equal(readlinkSync(path), content);
    }
  });

  it('that somebody else has taken meanwhile are not removed on release', () => {
    using folder = temporaryFolder('locks');
    const path = join(folder.path, 'lock');
    const lock = take(path);
    spawnSync('rm', [path]);
    symlinkSync('elsewhere:1', path);
    lock.release();
    equal(readlinkSync(path), 'elsewhere:1');
  });

  it('can be waited for, and the waiting can be cancelled', async () => {
    using folder = temporaryFolder('locks');
    const path = join(folder.path, 'lock');
    using held = take(path);
    ok(held);
    const controller = new AbortController();
    const waiting = acquireLock(path, 60_000, { signal: controller.signal, log: () => controller.abort() });
    await rejects(waiting, { kind: 'cancelled' });
  });

  it('are taken over by one of many that find a dead one', async () => {
    using folder = temporaryFolder('locks');
    const repository = somethingToCommit(folder.path);
    symlinkSync(`${hgHost(repository)}:${deadPid()}`, repository.path);
    let inside = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const lock = await acquireLock(repository.path, 30_000, unattended);
        equal(++inside, 1);
        await new Promise(setImmediate);
        inside--;
        lock.release();
      }),
    );
    equal(existsSync(repository.path), false);
  });

  it('know a living process from a dead one', () => {
    equal(isAlive(process.pid), true);
    equal(isAlive(1), true);
    equal(isAlive(deadPid()), false);
  });
});
