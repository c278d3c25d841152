import { basename } from 'node:path';
import * as vscode from 'vscode';
import { findRepositories, type FoundRepository } from './findRepositories';

const opened = 'chains.openedFolders';

/** The repositories that the window shows: those of its folders, and those that a person has opened beside. */
export class Repositories implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChange = this.changed.event;

  constructor(private readonly state: vscode.Memento) {
    this.subscription = vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed.fire());
  }

  /** In the order of the folders, each once. */
  async all(): Promise<FoundRepository[]> {
    const found = new Map<string, FoundRepository>();
    const add = (repository: FoundRepository) => {
      const key = `${repository.kind} ${repository.root}`;
      if (!found.has(key)) found.set(key, repository);
    };
    for (const folder of workspaceFolders()) (await findRepositories(folder)).forEach(add);
    for (const folder of this.opened) {
      for (const repository of await findRepositories(folder)) add({ ...repository, isOpened: true });
    }
    return [...found.values()];
  }

  /** Shows the repositories of a folder from now on. Gives how many it has. */
  async open(folder: string): Promise<number> {
    const found = await findRepositories(folder);
    if (found.length > 0 && !this.opened.includes(folder)) {
      await this.state.update(opened, [...this.opened, folder]);
      this.changed.fire();
    }
    return found.length;
  }

  /** Shows a repository that was opened no longer. */
  async close(root: string): Promise<void> {
    const rest = this.opened.filter((folder) => folder !== root && !isInside(root, folder));
    await this.state.update(opened, rest);
    this.changed.fire();
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private get opened(): readonly string[] {
    return this.state.get<string[]>(opened, []);
  }
}

/** The folders of the window that are on this machine's disk. */
export function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}

/** Whether the opened folder led to the repository: it is one level above, or its `.hg` or `.git`. */
function isInside(root: string, folder: string): boolean {
  const below = vscode.Uri.file(root);
  const above = vscode.Uri.joinPath(below, '..').fsPath;
  return (
    folder === above ||
    (['.hg', '.git'].includes(basename(folder)) && vscode.Uri.joinPath(vscode.Uri.file(folder), '..').fsPath === root)
  );
}
