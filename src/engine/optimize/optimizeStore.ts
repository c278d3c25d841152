import * as l10n from '@vscode/l10n';
import { existsSync, mkdirSync, rmSync, readdirSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { RevlogSelection } from '../compare/compareStore';
import { checkWritable, policySettings, type PolicyName } from '../compare/policies';
import { inShares, largestReplaced, workOnShares, type SizedRevlog } from '../compare/shares';
import { asDestinationError, destinationError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { repositoryDeltaSettings } from '../revlog/policy/deltaSettings';
import { acquireLock, isLockDead, storeLock, type Lock } from '../store/locks';
import { checkRequirements } from '../store/requirements';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { repositoryAt } from '../survey/surveyRepository';
import type { Tasks } from '../tasks';
import { optimizeFolders, planVersion, readPlan, writePlan, type OptimizeFolders, type Plan } from './plan';
import type { Rewritten, RewriteRequest } from './rewriteTask';
import { markOf, replaceRevlog, stagedFiles, type Replacement } from './stagedFiles';

/** What is to be written again, and how. */
export interface OptimizeRequest {
  /** The working copy, or its `.hg`. */
  folder: string;
  selection: RevlogSelection;
  policy: PolicyName;
  /** Milliseconds to wait for whoever holds the store's lock. */
  patience?: number;
  /** Revlogs of more bytes on disk stay as they are; see `largestReplaced` of the comparison. */
  largestReplaced?: number;
}

/** What an optimisation did. */
export interface OptimizeSummary {
  root: string;
  policy: PolicyName;
  revlogs: number;
  /** Bytes of all selected revlogs. */
  before: number;
  after: number;
  replaced: number;
  /** Revlogs that are too large to be replaced without a moment at which they cannot be read. */
  tooLarge: number;
  /** Somebody wrote to these meanwhile, and they were left as they are. */
  leftAlone: number;
}

const usualPatience = 10_000;

/**
 * Writes revlogs again under a policy, beside the old ones, reads every text of what was written, and puts them in the
 * store under its lock. The old files are kept until {@link confirmOptimize}, and {@link undoOptimize} brings them back. At
 * every moment the store can be read: an optimisation that is broken off leaves the old store before it is all written, and
 * is finished by {@link finishOptimize} or the next one after that.
 *
 * @throws `destination` when another optimisation waits to be confirmed or an interrupted transaction is there;
 * `lockHeld`, `integrity` or `corrupt` when the store is damaged, `unsupported`, `cancelled`
 */
export async function optimizeStore(
  request: OptimizeRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<OptimizeSummary> {
  const repository = repositoryAt(request.folder);
  checkRequirements(repository.requirements, 'store', l10n.t('the repository'));
  const own = repositoryDeltaSettings(repository.hg, repository.requirements);
  const settings = policySettings(request.policy, own);
  checkWritable(request.policy, settings, repository.requirements);
  const folders = optimizeFolders(repository.store);
  using lock = await lockStore(repository, request.patience, operation);
  prepare(repository, folders, operation);
  const how = { settings, folder: folders.staging, largestReplaced: request.largestReplaced ?? largestReplaced };
  const { folder, selection, policy } = request;
  try {
    const revlogs = await workers.run('listRevlogsToStore', { folder, selection }, operation);
    const written = await rewriteAll(revlogs, how, operation, workers);
    throwIfCancelled(operation);
    // Nothing stops it half-way, but the end of the process.
    const unstoppable = { ...operation, signal: new AbortController().signal };
    const leftAlone = await workers.run('swapRevlogsIn', { folder, policy, revlogs, written }, unstoppable);
    return summary(request, repository, revlogs, written, leftAlone);
  } finally {
    // With the plan there, it is gone on with.
    if (!existsSync(folders.plan)) rmSync(folders.root, { recursive: true, force: true });
    lock.release();
  }
}

/**
 * Plans the replacement of revlogs by what was written for them, and carries that out, under a lock that the caller holds.
 * Gives how many were left alone because somebody wrote to them.
 * @throws `destination` when the file system refuses
 */
export function swapRevlogs(
  {
    folder,
    policy,
    revlogs,
    written,
  }: { folder: string; policy: PolicyName; revlogs: readonly SizedRevlog[]; written: readonly Rewritten[] },
  operation: Operation,
): number {
  const repository = repositoryAt(folder);
  const folders = optimizeFolders(repository.store);
  const plan = planOf(policy, revlogs, written, repository, folders);
  if (plan.replacements.length > 0) writePlan(folders, plan);
  return carryOut(plan, repository, folders, operation);
}

/** How it stands with an optimisation of a repository. */
export type OptimizeState = 'none' | 'underWay' | 'brokenOff' | 'unconfirmed';

/**
 * How it stands with an optimisation of the repository: nothing there, somebody at work, broken off, or waiting to be
 * confirmed. Tells it from what there is, and reads nothing.
 */
export function optimizeState(folder: string): OptimizeState {
  const { store } = repositoryAt(folder);
  const folders = optimizeFolders(store);
  if (!existsSync(folders.root)) return 'none';
  if (!isLockDead(storeLock(store))) return 'underWay';
  // What is to be put in place is there until all of it is.
  return existsSync(folders.plan) && !existsSync(folders.staging) ? 'unconfirmed' : 'brokenOff';
}

/**
 * Goes on with an optimisation that was broken off: once everything was written it is put in place, before that it is
 * dropped. Tells whether there was one.
 */
export async function finishOptimize(folder: string, operation: Operation): Promise<boolean> {
  const repository = repositoryAt(folder);
  const folders = optimizeFolders(repository.store);
  if (!existsSync(folders.root)) return false;
  using lock = await lockStore(repository, usualPatience, operation);
  resume(repository, folders, operation);
  lock.release();
  return true;
}

/** Deletes what was kept of the old store. @throws `destination` when there is nothing to confirm */
export async function confirmOptimize(folder: string, operation: Operation): Promise<void> {
  const repository = repositoryAt(folder);
  const folders = optimizeFolders(repository.store);
  using lock = await lockStore(repository, usualPatience, operation);
  resume(repository, folders, operation);
  keptPlan(repository, folders);
  rmSync(folders.root, { recursive: true, force: true });
  lock.release();
}

/**
 * Brings the old store back. @throws `destination` when there is none, or when something was written to the store since
 */
export async function undoOptimize(folder: string, operation: Operation): Promise<void> {
  const repository = repositoryAt(folder);
  const folders = optimizeFolders(repository.store);
  using lock = await lockStore(repository, usualPatience, operation);
  resume(repository, folders, operation);
  const plan = keptPlan(repository, folders);
  const { undoPlan } = await import('./undoPlan');
  const back = undoPlan(plan, repository, folders);
  writePlan(folders, back);
  carryOut(back, repository, folders, operation);
  lock.release();
}

async function lockStore({ store }: RepositoryFolders, patience = usualPatience, operation: Operation): Promise<Lock> {
  return acquireLock(storeLock(store), patience, operation);
}

function prepare(repository: RepositoryFolders, folders: OptimizeFolders, operation: Operation): void {
  if (existsSync(join(repository.store, 'journal'))) {
    throw destinationError(l10n.t('A transaction of the repository at {0} was interrupted.', repository.root), {
      subject: join(repository.store, 'journal'),
      advice: l10n.t('Run "hg recover" first.'),
    });
  }
  resume(repository, folders, operation);
  if (existsSync(folders.plan)) {
    throw destinationError(l10n.t('The old store of {0} is still kept from an optimisation before.', repository.root), {
      subject: folders.root,
      advice: l10n.t('Confirm that one, or undo it, first.'),
    });
  }
  try {
    mkdirSync(folders.staging, { recursive: true });
    mkdirSync(folders.kept, { recursive: true });
  } catch (error) {
    throw asDestinationError(error, folders.root);
  }
}

/** Brings an optimisation that was broken off to its end. */
function resume(repository: RepositoryFolders, folders: OptimizeFolders, operation: Operation): void {
  const plan = readPlan(folders);
  if (plan === undefined) rmSync(folders.root, { recursive: true, force: true });
  else if (!plan.isDone) carryOut(plan, repository, folders, operation);
  else rmSync(folders.staging, { recursive: true, force: true });
}

async function rewriteAll(
  revlogs: readonly SizedRevlog[],
  how: Omit<RewriteRequest, 'revlogs'>,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<Rewritten[]> {
  const numbers = new Map(revlogs.map((revlog, number) => [revlog, number]));
  const written = await workOnShares(inShares(revlogs), 'write', operation, workers, (share, quiet) => {
    const numbered = share.map((revlog) => ({ ...revlog, number: numbers.get(revlog) ?? -1 }));
    return workers.run('rewriteRevlogs', { ...how, revlogs: numbered }, quiet);
  });
  return written.flat();
}

function planOf(
  policy: PolicyName,
  revlogs: readonly SizedRevlog[],
  written: readonly Rewritten[],
  { store }: RepositoryFolders,
  folders: OptimizeFolders,
): Plan {
  const changed = written.filter(({ unchanged }) => unchanged === undefined);
  const inStore = (path: string) => relative(store, path).split(sep).join('/');
  const replacements = changed.map(({ number }): Replacement => {
    const { path, chunkPath } = revlogs[number];
    const staged = stagedFiles(folders.staging, number);
    const inline = markOf(staged.inline);
    const old = markOf(path);
    const fresh = markOf(staged.index);
    if (old === undefined || fresh === undefined)
      throw destinationError(l10n.t('{0} is gone.', path), { subject: path });
    const isInline = inline === undefined;
    return { number, index: inStore(path), chunks: inStore(chunkPath), isInline, old, new: fresh, inline };
  });
  const sum = (pick: (one: Rewritten) => number) => changed.reduce((total, one) => total + pick(one), 0);
  const bytes = { before: sum(({ before }) => before), after: sum(({ after }) => after) };
  return { version: planVersion, direction: 'new', isDone: false, policy, ...bytes, replacements };
}

/** Makes the replacements of a plan; gives how many revlogs were left alone because somebody wrote to them. */
function carryOut(plan: Plan, repository: RepositoryFolders, folders: OptimizeFolders, operation: Operation): number {
  if (plan.replacements.length === 0) return 0;
  const { store } = repository;
  dropUndo(store);
  const keep = plan.direction === 'new' ? folders.kept : undefined;
  let leftAlone = 0;
  const total = plan.replacements.length;
  plan.replacements.forEach((replacement, done) => {
    if (!replaceRevlog(replacement, store, folders.staging, keep)) {
      leftAlone++;
      operation.log('warn', `${replacement.index} was written to meanwhile, and stays as it is.`);
    }
    operation.progress({ type: 'phase', phase: 'finish', state: 'running', done: done + 1, total, unit: 'files' });
  });
  operation.progress({ type: 'phase', phase: 'finish', state: 'done', done: total, total, unit: 'files' });
  if (plan.direction === 'back') rmSync(folders.root, { recursive: true, force: true });
  else {
    writePlan(folders, { ...plan, isDone: true });
    rmSync(folders.staging, { recursive: true, force: true });
  }
  return leftAlone;
}

/** What `hg rollback` would cut the files back to: lengths that mean nothing any more. */
function dropUndo(store: string): void {
  for (const name of readdirSync(store)) {
    if (basename(name).startsWith('undo')) rmSync(join(store, name), { recursive: true, force: true });
  }
}

function keptPlan({ root }: RepositoryFolders, folders: OptimizeFolders): Plan {
  const plan = readPlan(folders);
  if (plan !== undefined) return plan;
  throw destinationError(l10n.t('No old store is kept for {0}.', root), { subject: folders.root });
}

function summary(
  { policy }: OptimizeRequest,
  { root }: RepositoryFolders,
  revlogs: readonly SizedRevlog[],
  written: readonly Rewritten[],
  leftAlone: number,
): OptimizeSummary {
  return {
    root,
    policy,
    revlogs: revlogs.length,
    before: written.reduce((sum, { before }) => sum + before, 0),
    after: written.reduce((sum, { after }) => sum + after, 0),
    replaced: written.filter(({ unchanged }) => unchanged === undefined).length - leftAlone,
    tooLarge: written.filter(({ unchanged }) => unchanged === 'tooLarge').length,
    leftAlone,
  };
}
