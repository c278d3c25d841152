import * as vscode from 'vscode';
import type { Transfers } from '../transfers/transfers';
import type { TransferNode } from '../transfers/transfersTree';

/** The commands of the *Transfers* tree. */
export function registerTransferCommands(transfers: Transfers, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const on = (command: string, act: (node: TransferNode & { kind: 'transfer' }) => unknown) =>
    vscode.commands.registerCommand(command, (node?: TransferNode) =>
      node?.kind === 'transfer' ? act(node) : undefined,
    );
  return [
    vscode.commands.registerCommand('deltascope.showTransfers', () =>
      vscode.commands.executeCommand('deltascope.transfers.focus'),
    ),
    vscode.commands.registerCommand('deltascope.showLog', () => log.show()),
    vscode.commands.registerCommand('deltascope.transfers.clearFinished', () => transfers.clearFinished()),
    on('deltascope.transfers.cancel', ({ transfer }) => transfer.actions.cancel()),
    on('deltascope.transfers.retry', ({ transfer }) => transfer.actions.retry?.()),
    on('deltascope.transfers.reveal', ({ transfer }) =>
      vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(transfer.destination), {
        forceNewWindow: true,
      }),
    ),
  ];
}
