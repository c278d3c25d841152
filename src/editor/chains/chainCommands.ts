import * as vscode from 'vscode';
import { EngineError } from '../../engine/io/errors';
import { errorInWords } from '../errorInWords';
import type { ReportSubject } from '../../protocol/chainReport';
import type { ChainReports } from '../reports/chainReport';
import type { ChainNode } from './chainNode';
import type { ChainsTree } from './chainsTree';
import { chooseRevlog } from './chooseRevlog';
import { copyNodeName, copyRow } from './copyNode';
import { exportChains } from './exportChains';
import type { Repositories } from './repositories';
import { openRevisionText } from './revisionText';
import type { RevlogOrder } from './revlogOrder';
import { rowOf, sourceOf, subjectOf } from './subject';
import type { Surveys } from './surveys';

export interface ChainServices {
  tree: ChainsTree;
  repositories: Repositories;
  surveys: Surveys;
  reports: ChainReports;
  log: vscode.LogOutputChannel;
}

/** The commands of the *Delta chains* view. */
export function chainCommands({ tree, repositories, surveys, reports, log }: ChainServices): vscode.Disposable[] {
  const on = (name: string, act: (node?: ChainNode) => unknown) =>
    vscode.commands.registerCommand(name, async (node?: ChainNode) => {
      try {
        await act(node);
      } catch (error) {
        explain(error, log);
      }
    });
  /** Commands about a revlog or a pack: a node of the tree, the subject of a report, a file, or what is chosen. */
  const withSubject = (name: string, act: (subject: ReportSubject, row?: number) => unknown) =>
    vscode.commands.registerCommand(name, async (of?: ChainNode | ReportSubject | vscode.Uri, row?: unknown) => {
      try {
        const subject = subjectOf(of) ?? subjectOf(await chooseRevlog(repositories, surveys));
        if (subject !== undefined) await act(subject, typeof row === 'number' ? row : rowOf(of));
      } catch (error) {
        explain(error, log);
      }
    });
  const orders: [string, RevlogOrder][] = [
    ['sortBySize', 'size'],
    ['sortByWaste', 'waste'],
    ['sortByLongestChain', 'longestChain'],
  ];
  return [
    ...orders.map(([name, order]) => on(`deltascope.chains.${name}`, () => tree.list({ ...tree.listing, order }))),
    on('deltascope.chains.filter', () => askFilter(tree)),
    on('deltascope.chains.clearFilter', () => filterBy(tree, '')),
    on('deltascope.chains.showMore', (node) => (node?.kind === 'more' ? tree.showMore(node) : undefined)),
    on('deltascope.chains.retry', (node) => (node?.kind === 'notice' ? tree.retry(node) : undefined)),
    on('deltascope.chains.refresh', async () => {
      for (const { root } of await repositories.all()) surveys.forget(root);
      tree.refresh();
    }),
    on('deltascope.chains.stop', () => surveys.cancel()),
    on('deltascope.chains.openRepository', () => openRepository(repositories)),
    on('deltascope.chains.copyNode', (node) => (node === undefined ? undefined : copyNodeName(node))),
    on('deltascope.chains.copyRow', (node) => (node === undefined ? undefined : copyRow(node))),
    on('deltascope.chains.closeRepository', (node) =>
      node?.kind === 'repository' ? repositories.close(node.repository.root) : undefined,
    ),
    withSubject('deltascope.showChains', (subject, row) => {
      reports.show(subject, row);
    }),
    withSubject('deltascope.exportChains', async (subject) => {
      if (subject.kind === 'pack') return exportChains({ columns: await tree.readPack(subject.path) });
      const reading = await tree.readRevlog(sourceOf(subject));
      return exportChains({ name: subject.name, reading });
    }),
    withSubject('deltascope.openRevisionText', (subject, row) =>
      subject.kind === 'revlog' && row !== undefined ? openRevisionText(sourceOf(subject), row) : undefined,
    ),
  ];
}

async function askFilter(tree: ChainsTree): Promise<void> {
  const filter = await vscode.window.showInputBox({
    title: vscode.l10n.t('Show files whose name contains'),
    placeHolder: vscode.l10n.t('Some letters of the path; several words must all be in it'),
    value: tree.listing.filter,
  });
  if (filter !== undefined) filterBy(tree, filter.trim());
}

function filterBy(tree: ChainsTree, filter: string): void {
  void vscode.commands.executeCommand('setContext', 'deltascope.chains.filtered', filter !== '');
  tree.list({ ...tree.listing, filter });
}

async function openRepository(repositories: Repositories): Promise<void> {
  const folders = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Open a repository in the Delta chains view'),
    openLabel: vscode.l10n.t('Show its chains'),
    canSelectFolders: true,
    canSelectFiles: false,
  });
  const folder = folders?.[0];
  if (folder === undefined) return;
  if ((await repositories.open(folder.fsPath)) > 0) return;
  void vscode.window.showWarningMessage(
    vscode.l10n.t('There is no Mercurial repository, and no Git repository with packs, in {0}.', folder.fsPath),
  );
}

function explain(error: unknown, log: vscode.LogOutputChannel): void {
  if (error instanceof EngineError && error.kind === 'cancelled') return;
  log.error(errorInWords(error));
  void vscode.window.showErrorMessage(errorInWords(error));
}
