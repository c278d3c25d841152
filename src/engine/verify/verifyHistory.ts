import * as l10n from '@vscode/l10n';
import { zstdReady } from '../compression/block';
import { PromisedFiles } from '../exchange/promisedFiles';
import { EngineError } from '../io/errors';
import { throwIfCancelled, type Operation, type PhaseName } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import { nullNode, nullRev, type Node, type Rev } from '../revlog/node';
import type { ReadText } from '../revlog/orderedTexts';
import type { Revlog } from '../revlog/revlog';
import { readFncache } from '../store/fncache';
import { openRevlogIfThere } from '../store/openRevlog';
import { checkRequirements } from '../store/requirements';
import { locateRepository, type RepositoryFolders } from '../store/repositoryFolders';
import { parseChangeset } from '../workingcopy/changeset';
import { checkTexts } from './checkTexts';
import { VerifyFaults, type VerifyFault } from './verifyFault';

/** A file's history that is to be checked. */
export interface ExpectedHistory {
  /** Bytes as Latin-1. */
  path: string;
  /** The nodes that manifests name, one after another, 40 digits each; some may be there twice. */
  nodes: string;
}

/** What was found in the changelog. */
export interface VerifiedChangelog {
  changesets: number;
  manifests: number;
  /** Paths of the files that the store lists. */
  listed: string[];
  told: VerifyFault[];
  count: number;
}

/** What was found in a share of the manifests. */
export interface VerifiedManifests {
  named: ExpectedHistory[];
  told: VerifyFault[];
  count: number;
}

const changelogName = '00changelog.i';
const manifestName = '00manifest.i';
const progressRevisions = 256;

/** Worker task: checks the texts of the changelog, and that it and the manifests refer to each other. */
export async function verifyChangelog({ root }: { root: string }, context: TaskContext): Promise<VerifiedChangelog> {
  await zstdReady;
  const repository = locateRepository(root);
  checkRequirements(repository.requirements, 'read', l10n.t('this repository'));
  const faults = new VerifyFaults();
  using changelog = open(repository, changelogName, faults);
  using manifests = open(repository, manifestName, faults);
  const wanted = changelog === undefined ? new Map<Node, number>() : checkChangesets(changelog, faults, context);
  for (let rev = 0 as Rev; rev < (manifests?.length ?? 0); rev++) {
    if (manifests === undefined || wanted.has(manifests.node(rev))) continue;
    faults.add(manifestName, l10n.t('{0} is the manifest of no changeset.', manifests.describe(rev)), rev);
  }
  for (const [node, rev] of wanted) {
    if (manifests?.find(node) !== undefined) continue;
    faults.add(changelogName, l10n.t('Changeset {0} has the manifest {1}, which is not there.', rev, node), rev);
  }
  const listed = readFncache(repository.store).flatMap((name) => /^data\/([^]*)\.i$/.exec(name)?.[1] ?? []);
  const { told, count } = faults;
  return { changesets: changelog?.length ?? 0, manifests: manifests?.length ?? 0, listed, told, count };
}

/** Worker task: checks the texts of one of several equal shares of the manifests; gives what they name. */
export async function verifyManifests(
  { root, share, shares }: { root: string; share: number; shares: number },
  context: TaskContext,
): Promise<VerifiedManifests> {
  await zstdReady;
  const repository = locateRepository(root);
  checkRequirements(repository.requirements, 'read', l10n.t('this repository'));
  const faults = new VerifyFaults();
  // That one of them cannot be opened is told where the changelog is checked.
  const untold = new VerifyFaults();
  using changelog = open(repository, changelogName, untold);
  using manifests = open(repository, manifestName, untold);
  const promised = new PromisedFiles();
  if (manifests !== undefined) {
    const bound = (at: number) => Math.floor((manifests.length * at) / shares);
    const range = [bound(share), bound(share + 1)] as const;
    checkManifests(manifests, changelog?.length ?? 0, range, promised, faults, context);
  }
  const named = [...promised].map(([path, nodes]) => ({ path, nodes: [...nodes].join('') }));
  return { named, told: faults.told, count: faults.count };
}

/** The manifests that changesets have, each with the first that has it. */
function checkChangesets(changelog: Revlog, faults: VerifyFaults, operation: Operation): Map<Node, number> {
  const wanted = new Map<Node, number>();
  const told = counted(operation, 'changelog', changelog.length);
  checkTexts(changelog, changelogName, changelog.length, faults, (rev, { text }) => {
    told.one();
    if (changelog.linkrev(rev) !== rev)
      faults.add(changelogName, l10n.t('Changeset {0} is not linked to itself.', rev), rev);
    const { manifest } = parseChangeset(text, `changeset ${rev}`);
    if (manifest !== nullNode && !wanted.has(manifest)) wanted.set(manifest, rev);
  });
  told.done();
  return wanted;
}

/** What a manifest names that the one below it does not: that one is in this share, or in an earlier one. */
function checkManifests(
  manifests: Revlog,
  changesets: number,
  range: readonly [number, number],
  promised: PromisedFiles,
  faults: VerifyFaults,
  operation: Operation,
): void {
  const told = counted(operation, 'manifests', range[1] - range[0]);
  const take = (rev: Rev, { text, chunk }: ReadText) => {
    told.one();
    if (manifests.deltaParent(rev) === nullRev) promised.addWhole(text);
    else promised.addManifest(text, chunk);
  };
  checkTexts(manifests, manifestName, changesets, faults, take, range);
  told.done();
}

function open(repository: RepositoryFolders, name: string, faults: VerifyFaults): Revlog | undefined {
  try {
    return openRevlogIfThere(repository, name);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    faults.add(name, error.message);
    return undefined;
  }
}

function counted(operation: Operation, phase: PhaseName, total: number): { one: () => void; done: () => void } {
  let done = 0;
  const report = (state: 'running' | 'done') =>
    operation.progress({ type: 'phase', phase, state, done, total, unit: 'revisions' });
  return {
    one: () => {
      done++;
      if (done % progressRevisions !== 0) return;
      throwIfCancelled(operation);
      report('running');
    },
    done: () => report('done'),
  };
}
