import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Repositories } from '../chains/repositories';

/** What a command may be called with: a row of the *Delta chains* view, a folder, or its path. */
export type RepositoryArgument = { repository?: { root: string; kind: string } } | vscode.Uri | string | undefined;

/**
 * The working copy that a command is about: what it was called with, the only one there is, that of the open file, or what
 * a person chooses. Undefined when they give up.
 */
export async function chooseRepository(
  repositories: Repositories,
  title: string,
  given?: RepositoryArgument,
): Promise<string | undefined> {
  if (typeof given === 'string') return given;
  if (given instanceof vscode.Uri) return given.fsPath;
  if (given?.repository?.kind === 'hg') return given.repository.root;
  const roots = (await repositories.all()).filter(({ kind }) => kind === 'hg').map(({ root }) => root);
  if (roots.length === 0) return askFolder(title);
  if (roots.length === 1) return roots[0];
  const active = vscode.window.activeTextEditor?.document.uri;
  const open = active?.scheme === 'file' ? roots.filter((root) => isInside(active.fsPath, root)) : [];
  const rows = [...open, ...roots.filter((root) => !open.includes(root))].map((root) => ({
    label: basename(root),
    detail: root,
    iconPath: new vscode.ThemeIcon('repo'),
    root,
  }));
  return (await vscode.window.showQuickPick(rows, { title, placeHolder: vscode.l10n.t('Which repository?') }))?.root;
}

async function askFolder(title: string): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('{0}: choose the folder of a Mercurial repository', title),
    openLabel: vscode.l10n.t('Choose'),
    canSelectFiles: false,
    canSelectFolders: true,
  });
  return chosen?.at(0)?.fsPath;
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}
