import * as l10n from '@vscode/l10n';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdReady } from '../compression/block';
import { destinationError, EngineError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { nullNode, type Node, type Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';
import { acquireLock, workingCopyLock } from '../store/locks';
import { openRevlog, openRevlogIfThere } from '../store/openRevlog';
import { locateRepository, type RepositoryFolders } from '../store/repositoryFolders';
import { checkRequirements } from '../store/requirements';
import { readSettings } from '../store/userHgrc';
import type { Tasks } from '../tasks';
import { parseChangeset } from '../workingcopy/changeset';
import { DirstateWriter } from '../workingcopy/dirstate';
import { findForwardHead } from '../workingcopy/forwardHead';
import { findLocalChange, type CleanFiles } from '../workingcopy/localChanges';
import { Manifest } from '../workingcopy/manifest';
import { findObstacles } from '../workingcopy/obstacles';
import { auditManifest } from '../workingcopy/pathAudit';
import { changesBetween, findInTheWay, replaceFiles, type FileChanges } from '../workingcopy/replaceFiles';
import { isUnfinished, readWorkingCopyState } from '../workingcopy/workingCopyState';

/** Why a working copy cannot simply go forward. */
export type StayReason =
  /** It is at the newest changeset of its branch. */
  | 'current'
  /** There is more than one way to go. */
  | 'heads'
  /** Its changeset, or the newest one, was rewritten. */
  | 'rewritten'
  /** Files are changed, or a merge or something else is not finished, or a file is in the way. */
  | 'changes'
  /** There is no working copy, or one of a kind that only Mercurial can update. */
  | 'unsupported';

/** Whether a working copy can go forward without anything to merge, and where to. */
export type FastForward = { from: Node; to: Node; files: number } | { reason: StayReason; file?: string };

interface Forward {
  repository: RepositoryFolders;
  from: Node;
  to: Node;
  branch: string;
  before: Manifest;
  after: Manifest;
  clean: CleanFiles;
  changes: FileChanges;
}

/** Worker task: finds out whether a working copy can go forward. Nothing is changed. @throws what the store throws */
export async function findFastForward({ root }: { root: string }, operation: Operation): Promise<FastForward> {
  await zstdReady;
  const found = prepare(root, operation);
  if ('reason' in found) return found;
  const { from, to, changes } = found;
  return { from, to, files: changes.removed.length + changes.written.length };
}

/**
 * Brings a working copy forward, under its lock. Files that are changed are never touched: when there is one, nothing is done.
 * @param request.to where {@link findFastForward} said that it leads
 * @throws `destination` when it leads there no longer, `lockHeld`, and what the store throws; all is as it was then
 */
export async function fastForward(
  request: { root: string; to: Node },
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<{ files: number }> {
  const lock = await acquireLock(workingCopyLock(locateRepository(request.root).hg), patienceMilliseconds, operation);
  try {
    return await workers.run('goForward', request, operation);
  } finally {
    lock.release();
  }
}

const patienceMilliseconds = 30_000;

/** Worker task: does what {@link fastForward} says. The caller holds the lock. */
export async function goForward(
  { root, to }: { root: string; to: Node },
  operation: Operation,
): Promise<{ files: number }> {
  await zstdReady;
  const forward = prepare(root, operation);
  if ('reason' in forward || forward.to !== to) {
    throw destinationError(l10n.t('The working copy at {0} cannot be updated any more: it has changed.', root), {
      subject: root,
      advice: l10n.t('Pull again, or update with Mercurial.'),
    });
  }
  const { repository, before, after, changes, clean } = forward;
  const total = changes.removed.length + changes.written.length;
  let done = 0;
  const report = (state: 'running' | 'done') =>
    operation.progress({ type: 'phase', phase: 'checkout', state, done, total, unit: 'files' });
  const mark = join(repository.hg, 'updatestate');
  // Should this process be killed, Mercurial says that an update was interrupted.
  writeFileSync(mark, to, 'latin1');
  try {
    const written = await replaceFiles(repository, before, after, changes, clean, () => {
      done++;
      report('running');
    });
    writeDirstate(forward, written);
  } finally {
    rmSync(mark, { force: true });
  }
  report('done');
  return { files: total };
}

function prepare(root: string, operation: Operation): Forward | { reason: StayReason; file?: string } {
  const repository = locateRepository(root);
  if (!isSupported(repository)) return { reason: 'unsupported' };
  const state = readWorkingCopyState(repository);
  const [from] = state.dirstate.parents;
  using changelog = openRevlogIfThere(repository, '00changelog.i');
  const parent = changelog?.find(from);
  if (changelog === undefined || parent === undefined || from === nullNode) return { reason: 'unsupported' };
  if (isUnfinished(repository, state)) return { reason: 'changes' };
  const head = findForwardHead(repository, changelog, parent, state);
  if ('reason' in head) return head;
  const before = manifestAt(repository, changelog, parent);
  const { branch, ...after } = manifestAt(repository, changelog, head.to);
  auditManifest(after.manifest);
  const traits = { platform: process.platform, caseInsensitive: process.platform !== 'linux' };
  const hasSubrepositories = [before, after].some(({ manifest }) => manifest.find('.hgsubstate') >= 0);
  if (hasSubrepositories || findObstacles(after.manifest, traits, 1).length > 0) return { reason: 'unsupported' };
  const local = findLocalChange(repository, state.dirstate, before.manifest, operation);
  if ('changed' in local) return { reason: 'changes', file: local.changed };
  const changes = changesBetween(before.manifest, after.manifest);
  const inTheWay = findInTheWay(root, changes, before.manifest);
  if (inTheWay !== undefined) return { reason: 'changes', file: inTheWay };
  const to = changelog.node(head.to);
  return { repository, from, to, branch, before: before.manifest, after: after.manifest, clean: local.clean, changes };
}

/** Extensions and filters that make of a file something else in the working copy than it is in the store. */
const changesFiles = ['eol', 'keyword', 'largefiles', 'win32text', 'lfs', 'narrow', 'fsmonitor'];

function isSupported(repository: RepositoryFolders): boolean {
  try {
    checkRequirements(repository.requirements, 'checkout', l10n.t('the repository'));
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
  const settings = readSettings(repository.hg);
  const hasFilters = ['encode', 'decode'].some((section) => (settings.get(section)?.size ?? 0) > 0);
  const extensions = [...(settings.get('extensions') ?? [])].filter(([, value]) => !value.startsWith('!'));
  return !hasFilters && !extensions.some(([name]) => changesFiles.includes(name.replace(/^hgext\./, '')));
}

function manifestAt(
  repository: RepositoryFolders,
  changelog: Revlog,
  rev: Rev,
): { manifest: Manifest; branch: string } {
  const { manifest: node, branch } = parseChangeset(changelog.text(rev), `changeset ${changelog.node(rev)}`);
  if (node === nullNode) return { manifest: Manifest.parse(new Uint8Array(0), l10n.t('an empty manifest')), branch };
  using manifests = openRevlog(repository, '00manifest.i');
  const at = manifests.find(node);
  if (at === undefined) throw destinationError(l10n.t('Manifest {0} is not in the store.', node), { subject: node });
  return { manifest: Manifest.parse(manifests.text(at), `Manifest ${node}`), branch };
}

function writeDirstate(
  { repository, to, branch, after, clean }: Forward,
  written: ReadonlyMap<string, { mode: number; size: number; mtimeMs: number }>,
): void {
  using dirstate = new DirstateWriter(join(repository.hg, 'dirstate'), [to, nullNode]);
  for (let index = 0; index < after.length; index++) {
    const path = after.path(index);
    const fresh = written.get(path);
    const kept = clean.get(path)?.entry;
    const { mode, size } = fresh ?? kept ?? { mode: 0, size: -1 };
    const mtime = fresh === undefined ? (kept?.mtime ?? -1) : Math.floor(fresh.mtimeMs / 1000);
    dirstate.addNormal(after.bytes, after.pathStart(index), after.pathEnd(index), mode, size, mtime);
  }
  dirstate.commit();
  writeFileSync(join(repository.hg, 'branch'), `${branch}\n`, 'latin1');
}
