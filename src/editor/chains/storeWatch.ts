import { join } from 'node:path';
import * as vscode from 'vscode';
import { repositoryAt } from '../../engine/survey/surveyRepository';
import { packFolderOf, type FoundRepository } from './findRepositories';
import { workspaceFolders, type Repositories } from './repositories';

/** A command of hg writes several files. */
const settleMilliseconds = 400;

/**
 * Follows the stores of the repositories that are shown, and the folders where new ones may come, by the editor's file
 * watchers. Only single folders are watched: the editor leaves stores out of what it watches with all below.
 */
export class StoreWatch implements vscode.Disposable {
  private watchers: vscode.Disposable[] = [];
  private readonly settling = new Map<string | undefined, NodeJS.Timeout>();
  private round = 0;

  /** @param onChange gets the root of the repository that was written to; undefined when there may be others now. */
  constructor(
    private readonly repositories: Repositories,
    private readonly onChange: (root: string | undefined) => void,
  ) {}

  /** Watches what there is now. To be called again when that changes. */
  async follow(): Promise<void> {
    const round = ++this.round;
    const found = await this.repositories.all();
    if (round !== this.round) return;
    this.unwatch();
    for (const folder of workspaceFolders()) {
      this.watch(folder, '*', undefined, false);
      // The editor watches its own folders anyway.
      this.watch(folder, '*/{.hg,.git}', undefined, false);
    }
    for (const repository of found) this.watchStore(repository);
  }

  dispose(): void {
    this.round++;
    this.unwatch();
    for (const timer of this.settling.values()) clearTimeout(timer);
  }

  private watchStore({ kind, root }: FoundRepository): void {
    if (kind === 'git') {
      const packs = packFolderOf(root);
      if (packs !== undefined) this.watch(packs, '*.{pack,idx}', root, true);
      return;
    }
    // An upgrade puts another store in place of the old one.
    this.watch(join(root, '.hg'), '{store,requires,sharedpath}', undefined, true);
    this.watch(storeOf(root), '{00changelog.i,00manifest.i,fncache,requires}', root, true);
  }

  private watch(folder: string, pattern: string, root: string | undefined, withChanges: boolean): void {
    const glob = new vscode.RelativePattern(vscode.Uri.file(folder), pattern);
    const watcher = vscode.workspace.createFileSystemWatcher(glob, false, !withChanges, false);
    const settle = () => {
      this.settle(root);
    };
    this.watchers.push(watcher, watcher.onDidCreate(settle), watcher.onDidDelete(settle), watcher.onDidChange(settle));
  }

  private settle(root: string | undefined): void {
    clearTimeout(this.settling.get(root));
    const tell = () => {
      this.settling.delete(root);
      this.onChange(root);
    };
    this.settling.set(root, setTimeout(tell, settleMilliseconds));
  }

  private unwatch(): void {
    for (const watcher of this.watchers) watcher.dispose();
    this.watchers = [];
  }
}

function storeOf(root: string): string {
  try {
    return repositoryAt(root).store;
  } catch {
    return join(root, '.hg', 'store');
  }
}
