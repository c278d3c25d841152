import * as l10n from '@vscode/l10n';
import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integrityError } from '../io/errors';
import type { Operation } from '../io/operation';
import { nullNode, type Node } from '../revlog/node';
import { openRevlog } from '../store/openRevlog';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { checkRequirements } from '../store/requirements';
import { writeBatch, type CheckedOutFiles, type FileRange } from './checkoutBatch';
import { DirstateWriter } from './dirstate';
import { Manifest } from './manifest';
import { findObstacles, type Obstacle } from './obstacles';
import { auditManifest } from './pathAudit';
import type { ResolvedRevision } from './resolveRevision';
import { listSubrepositories } from './subrepositories';
import { writeSymlinks } from './symlinks';

/** Everything that threads have to know to check out their share; it can be posted to them. */
export interface CheckoutPlan {
  revision: ResolvedRevision;
  /** The manifest's text, in memory that threads share. */
  text: Uint8Array<SharedArrayBuffer>;
  /** Where its lines begin, shared too. */
  starts: Uint32Array<SharedArrayBuffer>;
  /** Shares of the work, small enough that no thread is left alone with the last of it. */
  batches: FileRange[];
  /** Files that this file system cannot hold. With any, nothing should be checked out. */
  obstacles: Obstacle[];
  /** Folders that the changeset fills from other repositories; they are not fetched. Bytes as Latin-1. */
  subrepositories: string[];
}

const filesInBatch = 256;
const fewestBatches = 32;

/**
 * Prepares the checkout of a changeset: reads its manifest, audits its paths, and looks for what stands in the way.
 *
 * @throws `corrupt` for paths that lead out of the working copy, into `.hg` or through symbolic links, and for damaged
 * manifests; `unsupported` for working copies of kinds that this engine does not write
 */
export function planCheckout(repository: RepositoryFolders, revision: ResolvedRevision): CheckoutPlan {
  checkRequirements(repository.requirements, 'checkout', l10n.t('the repository'));
  const manifest = readManifest(repository, revision.manifest);
  auditManifest(manifest);
  const traits = { platform: process.platform, caseInsensitive: isCaseInsensitive(repository.hg) };
  return {
    revision,
    text: new Uint8Array(manifest.bytes.buffer as SharedArrayBuffer, 0, manifest.bytes.length),
    starts: shareNumbers(manifest.starts),
    batches: batchesOf(manifest.length),
    obstacles: findObstacles(manifest, traits),
    subrepositories: listSubrepositories(repository, manifest),
  };
}

/**
 * Checks out one share of a plan: writes its files, except symbolic links. May run in any thread, after `zstdReady`.
 *
 * @throws `corrupt`, `integrity` and `unsupported` for what the store cannot give, `destination` when the disk is full or
 * a name is taken, `cancelled`
 */
export function checkoutBatch(
  repository: RepositoryFolders,
  plan: CheckoutPlan,
  batch: FileRange,
  operation: Pick<Operation, 'signal'>,
): Promise<CheckedOutFiles> {
  return writeBatch(repository, new Manifest(plan.text, plan.starts), batch, operation);
}

/**
 * Ends a checkout: makes the symbolic links, and writes what Mercurial keeps of a working copy: dirstate, branch, active
 * bookmark. Links come last, when everything else is in its place: so no file can have been written through one, whatever
 * the file system takes for the same name.
 */
export function finishCheckout(
  repository: RepositoryFolders,
  plan: CheckoutPlan,
  files: readonly CheckedOutFiles[],
): void {
  const manifest = new Manifest(plan.text, plan.starts);
  const links = writeSymlinks(repository, manifest);
  using dirstate = new DirstateWriter(join(repository.hg, 'dirstate'), [plan.revision.node, nullNode]);
  for (const { from, modes, sizes, mtimes } of [...files].sort((a, b) => a.from - b.from)) {
    for (let at = 0; at < modes.length; at++) {
      const index = from + at;
      const link = links.get(index);
      const [mode, size, mtime] = link ?? [modes[at], sizes[at], mtimes[at]];
      dirstate.addNormal(plan.text, manifest.pathStart(index), manifest.pathEnd(index), mode, size, mtime);
    }
  }
  dirstate.commit();
  writeFileSync(join(repository.hg, 'branch'), `${plan.revision.branch}\n`, 'latin1');
  const { bookmark } = plan.revision;
  if (bookmark !== undefined) writeFileSync(join(repository.hg, 'bookmarks.current'), bookmark, 'latin1');
}

/** A whole checkout in one thread. @throws as its parts do */
export async function checkout(
  repository: RepositoryFolders,
  revision: ResolvedRevision,
  operation: Operation,
): Promise<CheckoutPlan> {
  const plan = planCheckout(repository, revision);
  const files: CheckedOutFiles[] = [];
  const total = plan.starts.length - 1;
  for (const batch of plan.batches) {
    files.push(await checkoutBatch(repository, plan, batch, operation));
    operation.progress({ type: 'phase', phase: 'checkout', state: 'running', done: batch.to, total, unit: 'files' });
  }
  finishCheckout(repository, plan, files);
  operation.progress({ type: 'phase', phase: 'checkout', state: 'done', done: total, total, unit: 'files' });
  return plan;
}

/** The manifest in memory that can be shared. The null node is that of a changeset without files. */
function readManifest(repository: RepositoryFolders, node: Node): Manifest {
  const subject = `Manifest ${node}`;
  if (node === nullNode) return Manifest.parse(share(new Uint8Array(0)), subject);
  using manifests = openRevlog(repository, '00manifest.i');
  const rev = manifests.find(node);
  if (rev === undefined) {
    throw integrityError(l10n.t('{0} is not in the store.', subject), {
      subject: node,
      advice: l10n.t('The store is damaged. Clone again.'),
    });
  }
  return Manifest.parse(share(manifests.text(rev)), subject);
}

function share(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

function shareNumbers(numbers: Uint32Array): Uint32Array<SharedArrayBuffer> {
  const shared = new Uint32Array(new SharedArrayBuffer(numbers.byteLength));
  shared.set(numbers);
  return shared;
}

function batchesOf(files: number): FileRange[] {
  const batches: FileRange[] = [];
  // Few files may be large ones.
  const size = Math.min(filesInBatch, Math.ceil(files / fewestBatches));
  for (let from = 0; from < files; from += size) batches.push({ from, to: Math.min(files, from + size) });
  return batches;
}

/** Whether the file system finds `.hg` under `.HG` as well. */
export function isCaseInsensitive(hgFolder: string): boolean {
  const other = lstatSync(join(hgFolder, '..', '.HG'), { throwIfNoEntry: false });
  return other?.ino === lstatSync(hgFolder).ino;
}
