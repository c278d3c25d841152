import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cancelledError, lockHeldError } from '../io/errors';
import { isAlive } from '../io/isAlive';
import type { Operation } from '../io/operation';

/** Who holds a lock: `host` (with the process namespace after a `/` on Linux) and process id. */
export interface LockHolder {
  host: string;
  pid: number;
}

/** A lock that this process holds. */
export interface Lock extends Disposable {
  readonly path: string;
  release(): void;
}

const retryEvery = 100;

/** The place of the lock that guards the store. Whoever takes both locks takes {@link workingCopyLock} first. */
export const storeLock = (storeFolder: string) => join(storeFolder, 'lock');
/** The place of the lock that guards the working copy. */
export const workingCopyLock = (hgFolder: string) => join(hgFolder, 'wlock');

/**
 * Takes a lock that Mercurial honours: a symbolic link whose target is `host/namespace:pid`, on Windows and on file
 * systems without links a file with that content. A lock whose holder is a dead process of this machine is taken over; of
 * a process in another container or on another machine nobody can tell, so theirs stand.
 *
 * @param patience milliseconds to wait for a living holder; 0 to try once
 * @throws `lockHeld` naming the holder, `cancelled`
 */
export async function acquireLock(
  path: string,
  patience: number,
  operation: Pick<Operation, 'signal' | 'log'>,
): Promise<Lock> {
  const end = Date.now() + patience;
  for (let told = false; ; told = true) {
    const outcome = tryLock(path);
    if (!('pid' in outcome)) return outcome;
    if (Date.now() >= end) throw heldError(path, outcome);
    if (!told) operation.log('info', `Waiting for the lock ${path}, held by ${describeHolder(outcome)}.`);
    await wait(retryEvery, undefined, { signal: operation.signal }).catch(() => {
      throw cancelledError();
    });
  }
}

/** Takes the lock now, or tells who holds it. */
export function tryLock(path: string): Lock | LockHolder {
  const mine = `${ownHost()}:${process.pid}`;
  for (;;) {
    if (place(path, mine)) return new HeldLock(path, mine);
    const content = readLock(path);
    if (content === undefined) continue;
    const holder = parseHolder(content);
    if (!isDead(holder) || !breakLock(path, content)) return holder;
  }
}

/** Who holds the lock, if anybody does; a holder that died still counts. */
export function lockHolder(path: string): LockHolder | undefined {
  const content = readLock(path);
  return content === undefined ? undefined : parseHolder(content);
}

/** Whether nobody holds the lock: it is not there, or its holder was a process of this machine that has died. */
export function isLockDead(path: string): boolean {
  const holder = lockHolder(path);
  return holder === undefined || isDead(holder);
}

class HeldLock implements Lock {
  private held = true;

  constructor(
    readonly path: string,
    private readonly content: string,
  ) {}

  release(): void {
    if (!this.held) return;
    this.held = false;
    // Somebody may have broken the lock by hand and taken it: theirs must stay.
    if (readLock(this.path) === this.content) unlinkSync(this.path);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Both ways fail when something is there already, in one step that no other process can come between. */
function place(path: string, content: string): boolean {
  try {
    if (process.platform === 'win32') writeFileSync(path, content, { flag: 'wx' });
    else placeLink(path, content);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function placeLink(path: string, content: string): void {
  try {
    symlinkSync(content, path);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error))) throw error;
    writeFileSync(path, content, { flag: 'wx' });
  }
}

function readLock(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (!['EINVAL', 'UNKNOWN', 'ENOSYS'].includes(codeOf(error))) throw error;
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(content: string): LockHolder {
  const colon = content.lastIndexOf(':');
  return { host: content.slice(0, Math.max(0, colon)), pid: Number(content.slice(colon + 1)) };
}

function isDead({ host, pid }: LockHolder): boolean {
  return host === ownHost() && Number.isSafeInteger(pid) && pid > 0 && !isAlive(pid);
}

/**
 * Removes a dead process's lock under a lock of its own, so that of two processes that find it one removes it, and
 * neither removes the lock that the other one has just taken.
 */
function breakLock(path: string, content: string): boolean {
  const breaker = tryLock(`${path}.break`);
  if ('pid' in breaker) return false;
  try {
    if (readLock(path) === content) unlinkSync(path);
    return true;
  } finally {
    breaker.release();
  }
}

let cachedHost: string | undefined;

/** This machine; on Linux with the process namespace, because process ids mean nothing in another one. */
function ownHost(): string {
  cachedHost ??= hostname() + namespace();
  return cachedHost;
}

/** A short name for this machine, fit for file names. */
export function machineMark(): string {
  return createHash('sha1').update(ownHost()).digest('hex').slice(0, 8);
}

function namespace(): string {
  if (process.platform !== 'linux') return '';
  try {
    return `/${statSync('/proc/self/ns/pid').ino.toString(16)}`;
  } catch {
    return '';
  }
}

function heldError(path: string, holder: LockHolder): Error {
  const who = describeHolder(holder);
  return lockHeldError(l10n.t('The repository is locked: {0} is held by {1}.', path, who), {
    subject: who,
    advice: l10n.t('Wait until it has finished. If you are sure that it is gone, remove the lock.'),
  });
}

function describeHolder({ host, pid }: LockHolder): string {
  return host === ownHost() ? l10n.t('process {0}', pid) : l10n.t('process {0} on {1}', pid, host);
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
