import { basename } from 'node:path';
import * as vscode from 'vscode';
import { errorInWords } from '../errorInWords';
import type { Transfers } from '../transfers/transfers';
import type { TransferNode } from '../transfers/transfersTree';
import { longestTrace, parseTrace, traceText } from './savedTrace';
import type { TransferReports } from './transferReport';
import { snapshotOf } from './transferSnapshot';

const filters = (): Record<string, string[]> => ({ [vscode.l10n.t('Traces of transfers')]: ['json'] });

/** *Save operation trace* and *Open operation trace*. */
export function registerTraceCommands(transfers: Transfers, reports: TransferReports): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand('deltascope.saveTrace', (node?: TransferNode, target?: vscode.Uri) =>
      saveTrace(transfers, node, target),
    ),
    vscode.commands.registerCommand('deltascope.openTrace', (file?: vscode.Uri) =>
      openTrace(reports, file instanceof vscode.Uri ? file : undefined),
    ),
  ];
}

async function saveTrace(transfers: Transfers, node?: TransferNode, target?: vscode.Uri): Promise<void> {
  const transfer = node !== undefined && 'transfer' in node ? node.transfer : transfers.all.at(0);
  if (transfer === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no transfer to save yet.'));
    return;
  }
  const name = `${basename(transfer.destination)}.trace.json`;
  const start = vscode.workspace.workspaceFolders?.at(0)?.uri;
  const file =
    target ??
    (await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Save the trace of {0}', transfer.title),
      defaultUri: start === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(start, name),
      filters: filters(),
    }));
  if (file !== undefined) await vscode.workspace.fs.writeFile(file, Buffer.from(traceText(snapshotOf(transfer))));
}

async function openTrace(reports: TransferReports, given?: vscode.Uri): Promise<void> {
  const title = vscode.l10n.t('Open the trace of a transfer');
  const file = given ?? (await vscode.window.showOpenDialog({ title, filters: filters() }))?.at(0);
  if (file === undefined) return;
  try {
    const { size } = await vscode.workspace.fs.stat(file);
    // What is longer is none, and is not read to find that out.
    const bytes = size > longestTrace ? new Uint8Array(0) : await vscode.workspace.fs.readFile(file);
    reports.showSaved(parseTrace(Buffer.from(bytes).toString('utf8'), basename(file.path)));
  } catch (error) {
    void vscode.window.showErrorMessage(errorInWords(error));
  }
}
