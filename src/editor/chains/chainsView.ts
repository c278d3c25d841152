import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
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

  constructor(
    engine: Engine,
    transfers: Transfers,
    reports: ChainReports,
    repositories: Repositories,
    log: vscode.LogOutputChannel,
  ) {
    const surveys = new Surveys(engine, log, (message) => (this.view.message = message));
    const tree = (this.tree = new ChainsTree(engine, repositories, surveys, log));
    this.view = vscode.window.createTreeView('deltascope.chains', { treeDataProvider: tree, showCollapseAll: true });
    const watch = new StoreWatch(repositories, (root) => {
      if (root === undefined) void watch.follow();
      else reports.refresh(root);
      tree.refresh(root);
    });
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
      ...chainCommands({ tree, repositories, surveys, reports, log }),
      ...registerChainEditors(reports),
    ];
  }

  /** Shows a revision in the tree. */
  async revealRevision(indexPath: string, rev: number): Promise<void> {
    const node = await this.tree.findRevision(indexPath, rev);
    if (node !== undefined) await this.view.reveal(node, { select: true, focus: true, expand: true });
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }
}
