import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { destinationName } from '../engine/exchange/destinationName';

/**
 * Asks in which folder the clone shall be made, and for another name where its own is taken.
 * @returns the path of the clone, or undefined when the person gives up
 */
export async function askDestination(
  title: string,
  address: string,
  givenParent?: string,
): Promise<string | undefined> {
  const parent = givenParent ?? (await askParent());
  if (parent === undefined) return undefined;
  const name = destinationName(address);
  if (name !== undefined && isFree(join(parent, name))) return join(parent, name);
  const other = await vscode.window.showInputBox({
    title,
    prompt:
      name === undefined
        ? vscode.l10n.t('Name the folder of the clone.')
        : vscode.l10n.t('{0} is taken. Name the folder of the clone.', name),
    value: freeName(parent, name ?? 'repository'),
    ignoreFocusOut: true,
    validateInput: (value) => nameFault(parent, value.trim()),
  });
  return other === undefined ? undefined : join(parent, other.trim());
}

async function askParent(): Promise<string | undefined> {
  const configured = vscode.workspace.getConfiguration('deltascope').get<string>('clone.defaultFolder', '');
  const start = configured === '' ? homedir() : configured.replace(/^~(?=$|[/\\])/, homedir());
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Choose a folder to clone into'),
    openLabel: vscode.l10n.t('Clone here'),
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
    defaultUri: vscode.Uri.file(start),
  });
  return chosen?.at(0)?.fsPath;
}

function nameFault(parent: string, name: string): string | undefined {
  if (name === '' || name === '.' || name === '..' || /[/\\]/.test(name)) {
    return vscode.l10n.t('A folder name, without slashes.');
  }
  return isFree(join(parent, name)) ? undefined : vscode.l10n.t('{0} is taken.', name);
}

function freeName(parent: string, name: string): string {
  if (isFree(join(parent, name))) return name;
  let number = 2;
  while (!isFree(join(parent, `${name}-${number}`))) number++;
  return `${name}-${number}`;
}

function isFree(path: string): boolean {
  if (!existsSync(path)) return true;
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}
