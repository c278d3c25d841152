import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { ReportSubject } from '../../protocol/chainReport';
import type { Transfers } from '../transfers/transfers';
import type { ChainReports } from '../reports/chainReport';
import { chainCommands } from './chainCommands';
import type { ChainNode } from './chainNode';
import { ChainsTree } from './chainsTree';
import type { Repositories } from './repositories';
import { RevisionTexts, revisionScheme } from './revisionText';
import { registerChainEditors } from './chainEditors';
import { StoreWatch } from './storeWatch';
import { Surveys } from './surveys';

/** The *Delta chains* view with its commands, its documents and what it follows. */
export class ChainsView implements vscode.Disposable {
  private readonly view: vscode.TreeView<ChainNode>;
  private readonly tree: ChainsTree;
  private readonly parts: { dispose: () => unknown }[];
  private readonly changed: (root: string) => void;

  constructor(
    engine: Engine,
    transfers: Transfers,
    reports: ChainReports,
    repositories: Repositories,
    log: vscode.LogOutputChannel,
    /** Told of the repository that was written to; undefined when there may be others now. */
    onChange: (root: string | undefined) => void,
  ) {
    const surveys = new Surveys(engine, log, (message) => (this.view.message = message));
    const tree = (this.tree = new ChainsTree(engine, repositories, surveys, log));
    this.view = vscode.window.createTreeView('deltascope.chains', { treeDataProvider: tree, showCollapseAll: true });
    const watch = new StoreWatch(repositories, (root) => {
      if (root === undefined) void watch.follow();
      else reports.refresh(root);
      tree.refresh(root);
      onChange(root);
    });
    this.changed = (root) => {
      surveys.forget(root);
      reports.refresh(root);
      tree.refresh(root);
      onChange(root);
    };
    void watch.follow();
    let finished = 0;
    this.parts = [
      surveys,
      tree,
      this.view,
      watch,
      repositories.onDidChange(() => {
        void watch.follow();
        tree.refresh();
      }),
      // A clone may have put a repository where nothing is watched.
      transfers.onDidChange(() => {
        const done = transfers.all.filter(({ state }) => state === 'done').length;
        if (done === finished) return;
        finished = done;
        void watch.follow();
        tree.refresh();
      }),
      vscode.workspace.registerTextDocumentContentProvider(revisionScheme, new RevisionTexts(engine)),
      vscode.commands.registerCommand('deltascope.chains.reveal', (subject: ReportSubject, row: number) =>
        this.reveal(subject, row),
      ),
      ...chainCommands({ tree, repositories, surveys, reports, log }),
      ...registerChainEditors(reports),
    ];
  }

  /** Looks at a repository anew: it was written to by the window itself. */
  refresh(root: string): void {
    this.changed(root);
  }

  /** Shows a revision in the tree, as far as the tree has its repository. */
  private async reveal(subject: ReportSubject, rev: number): Promise<void> {
    const node = subject.kind === 'revlog' ? await this.tree.findRevision(subject.index, rev) : undefined;
    if (node !== undefined) await this.view.reveal(node, { select: true, focus: true, expand: true });
    else
      void vscode.window.showInformationMessage(vscode.l10n.t('The Delta chains view does not have its repository.'));
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }
}
