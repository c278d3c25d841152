import * as l10n from '@vscode/l10n';
import { setImmediate } from 'node:timers/promises';
import { zstdReady } from '../compression/block';
import { EngineError } from '../io/errors';
import { throwIfCancelled } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import type { Node, Rev } from '../revlog/node';
import { openRevlogIfThere } from '../store/openRevlog';
import { locateRepository, type RepositoryFolders } from '../store/repositoryFolders';
import { checkTexts } from './checkTexts';
import { VerifyFaults, type VerifyFault } from './verifyFault';
import type { ExpectedHistory } from './verifyHistory';

const nodeLength = 40;
const filesBetweenRests = 64;

/** Worker task: checks the histories of some files against what manifests name. */
export async function verifyFiles(
  { root, files, changesets }: { root: string; files: ExpectedHistory[]; changesets: number },
  context: TaskContext,
): Promise<{ revisions: number; told: VerifyFault[]; count: number }> {
  await zstdReady;
  const repository = locateRepository(root);
  const faults = new VerifyFaults();
  let revisions = 0;
  const report = (state: 'running' | 'done', done: number) =>
    context.progress({ type: 'phase', phase: 'files', state, done, total: files.length, unit: 'files' });
  for (const [index, file] of files.entries()) {
    revisions += verifyFile(repository, file, changesets, faults);
    if (index % filesBetweenRests !== 0) continue;
    throwIfCancelled(context);
    report('running', index);
    // Whoever wants to stop gets a word in.
    await setImmediate();
  }
  report('done', files.length);
  return { revisions, told: faults.told, count: faults.count };
}

function nodesOf(nodes: string): Set<Node> {
  const set = new Set<Node>();
  for (let at = 0; at < nodes.length; at += nodeLength) set.add(nodes.slice(at, at + nodeLength) as Node);
  return set;
}

function verifyFile(
  repository: RepositoryFolders,
  { path, nodes }: ExpectedHistory,
  changesets: number,
  faults: VerifyFaults,
): number {
  const history = `data/${path}.i`;
  try {
    using filelog = openRevlogIfThere(repository, history);
    const isNamed = new Uint8Array(filelog?.length ?? 0);
    for (const node of nodesOf(nodes)) {
      const rev = filelog?.find(node);
      if (rev === undefined)
        faults.add(history, l10n.t('A manifest names the revision {0}, which is not there.', node));
      else isNamed[rev] = 1;
    }
    if (filelog === undefined) {
      if (nodes === '') faults.add(history, l10n.t('The store lists this history, which is not there.'));
      return 0;
    }
    for (let rev = 0; rev < filelog.length; rev++) {
      if (isNamed[rev] === 0)
        faults.add(history, l10n.t('{0} is named by no manifest.', filelog.describe(rev as Rev)), rev);
    }
    checkTexts(filelog, history, changesets, faults);
    return filelog.length;
  } catch (error) {
    if (!(error instanceof EngineError) || error.kind === 'cancelled') throw error;
    faults.add(history, error.message);
    return 0;
  }
}
