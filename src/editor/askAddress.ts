import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { locateSource } from '../engine/exchange/sources';
import { EngineError } from '../engine/io/errors';

/** Asks for the address of a repository, with those of before to choose from; undefined when the person gives up. */
export function askAddress(title: string, history: readonly string[]): Promise<string | undefined> {
  const picker = vscode.window.createQuickPick();
  picker.title = title;
  picker.placeholder = vscode.l10n.t(
    'Address or path of a Mercurial repository, such as https://example.org/repository',
  );
  picker.ignoreFocusOut = true;
  const refresh = () => (picker.items = [...typedItem(picker.value), ...history.map(historyItem)]);
  refresh();
  return new Promise((resolve) => {
    picker.onDidChangeValue(refresh);
    picker.onDidAccept(() => {
      // Whoever types fast is ahead of the rows: then what was typed counts, not the row of a moment ago.
      const active = picker.activeItems.at(0);
      const address = active !== undefined && picker.items.includes(active) ? active.label : picker.value;
      if (fault(address) !== undefined) return;
      resolve(address.trim());
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
  });
}

function typedItem(value: string): vscode.QuickPickItem[] {
  if (value.trim() === '') return [];
  const wrong = fault(value);
  return [
    {
      label: value.trim(),
      detail: wrong ?? vscode.l10n.t('Use this address'),
      iconPath: new vscode.ThemeIcon(wrong === undefined ? 'cloud-download' : 'warning'),
      alwaysShow: true,
    },
  ];
}

function historyItem(address: string): vscode.QuickPickItem {
  return { label: address, description: vscode.l10n.t('used before'), iconPath: new vscode.ThemeIcon('history') };
}

/** What is wrong with an address, as a sentence; undefined when nothing is. */
function fault(address: string): string | undefined {
  try {
    const { scheme } = locateSource(address);
    // What is relative would begin where the editor was started: nobody knows that place.
    const isVague = scheme === 'file' && !/^(~|file:|bundle:)/i.test(address.trim()) && !isAbsolute(address.trim());
    return isVague ? vscode.l10n.t('Write the whole path, from its beginning.') : undefined;
  } catch (error) {
    return error instanceof EngineError ? (error.advice ?? error.message) : String(error);
  }
}
