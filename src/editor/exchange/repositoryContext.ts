import * as vscode from 'vscode';
import type { Repositories } from '../chains/repositories';
import type { Transfers } from '../transfers/transfers';

/**
 * Keeps the contexts `deltascope.hasRepository`, whether the window shows a Mercurial repository, and `deltascope.repositories`,
 * their folders.
 */
export class RepositoryContext implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private finished = 0;

  constructor(
    private readonly repositories: Repositories,
    transfers: Transfers,
  ) {
    this.subscriptions = [
      repositories.onDidChange(() => void this.refresh()),
      // A clone may have put one into a folder of the window.
      transfers.onDidChange(() => {
        const done = transfers.all.filter(({ state }) => state === 'done').length;
        if (done !== this.finished) void this.refresh();
        this.finished = done;
      }),
    ];
    void this.refresh();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private async refresh(): Promise<void> {
    const found = await this.repositories.all();
    const roots = found.filter(({ kind }) => kind === 'hg').map(({ root }) => root);
    await vscode.commands.executeCommand('setContext', 'deltascope.hasRepository', roots.length > 0);
    await vscode.commands.executeCommand('setContext', 'deltascope.repositories', roots);
  }
}
