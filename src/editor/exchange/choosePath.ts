import * as vscode from 'vscode';
import { namedPaths } from '../../engine/exchange/namedPaths';
import { askAddress } from '../askAddress';
import { shownAddress } from './shownAddress';

/**
 * Where to pull from: the path `default` where it is the only one, else what a person chooses of the section `[paths]`, or
 * an address of their own. Undefined when they give up.
 */
export async function choosePath(root: string, title: string, known: readonly string[]): Promise<string | undefined> {
  const paths = namedPaths(root);
  if (paths.length === 1 && paths[0].name === 'default') return 'default';
  if (paths.length === 0) return askAddress(title, known);
  const other = { label: vscode.l10n.t('Another address …'), iconPath: new vscode.ThemeIcon('edit') };
  const rows = paths.map(({ name, address }) => ({
    label: name,
    description: shownAddress(address),
    iconPath: new vscode.ThemeIcon('cloud'),
  }));
  const chosen = await vscode.window.showQuickPick([...rows, other], {
    title,
    placeHolder: vscode.l10n.t('From where?'),
    matchOnDescription: true,
  });
  return chosen === other ? askAddress(title, known) : chosen?.label;
}

/** The address that stands for a source: that of the path of this name, else the source itself. */
export function addressOf(root: string, source: string): string {
  return namedPaths(root).find(({ name }) => name === source)?.address ?? source;
}
