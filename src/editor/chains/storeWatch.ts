import { join } from 'node:path';
import * as vscode from 'vscode';
import { repositoryAt } from '../../engine/survey/surveyRepository';
import { packFolderOf, packFoldersIn, type FoundRepository } from './findRepositories';
import { storeState } from './storeState';
import { workspaceFolders, type Repositories } from './repositories';

/** A command of hg writes several files. */
const settleMilliseconds = 400;

/**
 * Follows the stores of the repositories that are shown, and the folders where new ones may come, by the editor's file
 * watchers. In the window's own folders those say nothing of stores, unless a person's settings have it otherwise; but a
 * transaction touches files beside the store, too, and then the store itself is looked at.
 */
export class StoreWatch implements vscode.Disposable {
  private watchers: vscode.Disposable[] = [];
  private readonly settling = new Map<string, NodeJS.Timeout>();
  private readonly states = new Map<string, string>();
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
    this.states.clear();
    for (const folder of workspaceFolders()) {
      // The editor watches its own folders anyway.
      for (const pattern of ['*', '*/{.hg,.git}']) this.watch(folder, pattern, folder, () => void this.findNew());
      // A Git repository is one of ours from its first pack on.
      for (const packs of await packFoldersIn(folder)) this.watchPacks(packs, folder, () => void this.findNew());
    }
    for (const repository of found) this.watchStore(repository);
  }

  /** Files come and go all the time; only other repositories are news. */
  private async findNew(): Promise<void> {
    const found = await this.repositories.all();
    const isSame = found.length === this.states.size && found.every((one) => this.states.has(keyOf(one)));
    if (!isSame) this.onChange(undefined);
  }

  dispose(): void {
    this.round++;
    this.unwatch();
    for (const timer of this.settling.values()) clearTimeout(timer);
  }

  private watchStore(repository: FoundRepository): void {
    const { kind, root } = repository;
    this.states.set(keyOf(repository), storeState(repository));
    const look = () => this.lookAt(repository);
    if (kind === 'git') {
      const packs = packFolderOf(root);
      if (packs === undefined) return;
      this.watchPacks(packs, keyOf(repository), look);
      return;
    }
    this.watch(storeOf(root), '{00changelog.i,00manifest.i,fncache,requires}', keyOf(repository), look);
    this.watch(join(root, '.hg'), '*', keyOf(repository), look);
    this.watch(join(root, '.hg', 'deltascope-optimize'), 'plan.json', keyOf(repository), look);
  }

  private watchPacks(packs: string, key: string, act: () => void): void {
    this.watch(packs, '*.{pack,idx}', key, act);
    this.watch(join(packs, '..', '..'), '*', key, act);
  }

  /** Tells only of what has changed: the editor touches some of these files itself. */
  private lookAt(repository: FoundRepository): void {
    const state = storeState(repository);
    if (this.states.get(keyOf(repository)) === state) return;
    this.states.set(keyOf(repository), state);
    this.onChange(repository.root);
  }

  /** @param key what happens for the same key within a moment is one thing */
  private watch(folder: string, pattern: string, key: string, act: () => void): void {
    const glob = new vscode.RelativePattern(vscode.Uri.file(folder), pattern);
    const watcher = vscode.workspace.createFileSystemWatcher(glob);
    const settle = () => {
      clearTimeout(this.settling.get(key));
      this.settling.set(key, setTimeout(act, settleMilliseconds));
    };
    this.watchers.push(watcher, watcher.onDidCreate(settle), watcher.onDidDelete(settle), watcher.onDidChange(settle));
  }

  private unwatch(): void {
    for (const watcher of this.watchers) watcher.dispose();
    this.watchers = [];
  }
}

function keyOf({ kind, root }: FoundRepository): string {
  return `${kind} ${root}`;
}

function storeOf(root: string): string {
  try {
    return repositoryAt(root).store;
  } catch {
    return join(root, '.hg', 'store');
  }
}
