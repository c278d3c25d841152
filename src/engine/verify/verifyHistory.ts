import { zstdReady } from '../compression/block';
import { PromisedFiles } from '../exchange/promisedFiles';
import { EngineError } from '../io/errors';
import { throwIfCancelled, type Operation, type PhaseName } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import { nullNode, nullRev, type Node } from '../revlog/node';
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
  /** The nodes that manifests name, one after another, 40 digits each. */
  nodes: string;
}

/** What was found in changelog and manifests. */
export interface VerifiedHistory {
  changesets: number;
  manifests: number;
  files: ExpectedHistory[];
  told: VerifyFault[];
  count: number;
}

const changelogName = '00changelog.i';
const manifestName = '00manifest.i';
const progressRevisions = 256;

/**
 * Worker task: checks the texts of changelog and manifests, and that they refer to each other; gives the revisions of
 * files that there have to be.
 */
export async function verifyHistory({ root }: { root: string }, context: TaskContext): Promise<VerifiedHistory> {
  await zstdReady;
  const repository = locateRepository(root);
  checkRequirements(repository.requirements, 'read', 'this repository');
  const faults = new VerifyFaults();
  using changelog = open(repository, changelogName, faults);
  using manifests = open(repository, manifestName, faults);
  const changesets = changelog?.length ?? 0;
  const wanted = changelog === undefined ? new Map<Node, number>() : checkChangesets(changelog, faults, context);
  const promised = new PromisedFiles();
  if (manifests !== undefined) checkManifests(manifests, changesets, wanted, promised, faults, context);
  for (const [node, rev] of wanted) {
    if (manifests?.find(node) !== undefined) continue;
    faults.add(changelogName, `Changeset ${rev} has the manifest ${node}, which is not there.`, rev);
  }
  const files = expectedFiles(repository, promised);
  const { told, count } = faults;
  return { changesets, manifests: manifests?.length ?? 0, files, told, count };
}

/** The manifests that changesets have, each with the first that has it. */
function checkChangesets(changelog: Revlog, faults: VerifyFaults, operation: Operation): Map<Node, number> {
  const wanted = new Map<Node, number>();
  const told = counted(operation, 'changelog', changelog.length);
  checkTexts(changelog, changelogName, changelog.length, faults, (rev, text) => {
    told.one();
    if (changelog.linkrev(rev) !== rev) faults.add(changelogName, `Changeset ${rev} is not linked to itself.`, rev);
    const { manifest } = parseChangeset(text, `changeset ${rev}`);
    if (manifest !== nullNode && !wanted.has(manifest)) wanted.set(manifest, rev);
  });
  told.done();
  return wanted;
}

function checkManifests(
  manifests: Revlog,
  changesets: number,
  wanted: ReadonlyMap<Node, number>,
  promised: PromisedFiles,
  faults: VerifyFaults,
  operation: Operation,
): void {
  const told = counted(operation, 'manifests', manifests.length);
  checkTexts(manifests, manifestName, changesets, faults, (rev, text) => {
    told.one();
    if (!wanted.has(manifests.node(rev))) {
      faults.add(manifestName, `${manifests.describe(rev)} is the manifest of no changeset.`, rev);
    }
    if (manifests.deltaParent(rev) === nullRev) promised.addWhole(text);
    else promised.addManifest(text, manifests.decodedChunk(rev));
  });
  told.done();
}

/** Every file that a manifest names or that the store lists. */
function expectedFiles(repository: RepositoryFolders, promised: PromisedFiles): ExpectedHistory[] {
  const files = [...promised].map(([path, nodes]) => ({ path, nodes: [...nodes].join('') }));
  const named = new Set(files.map(({ path }) => path));
  for (const name of readFncache(repository.store)) {
    const path = /^data\/([^]*)\.i$/.exec(name)?.[1];
    if (path !== undefined && !named.has(path)) files.push({ path, nodes: '' });
  }
  return files;
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
