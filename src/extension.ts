import * as vscode from 'vscode';
import { AddressHistory } from './editor/addressHistory';
import { ChainsView } from './editor/chains/chainsView';
import { CloneCommand } from './editor/commands/cloneCommand';
import { registerTransferCommands } from './editor/commands/transferCommands';
import { CredentialStore } from './editor/credentialStore';
import { ChainReports } from './editor/reports/chainReport';
import { TransferStatus } from './editor/transfers/transferStatus';
import { TransfersTree } from './editor/transfers/transfersTree';
import { Transfers } from './editor/transfers/transfers';
import { Engine } from './engine/engine';

/** Builds the services and registers them; each does its work when it is first asked to. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Deltascope', { log: true });
  const engine = new Engine(context.asAbsolutePath('dist/worker.js'));
  const transfers = new Transfers();
  const credentials = new CredentialStore(context.secrets, context.globalState);
  const tree = new TransfersTree(transfers);
  const reports = new ChainReports({ extension: context.extensionUri, engine, log });
  const clone = new CloneCommand(engine, transfers, credentials, new AddressHistory(context.globalState), log);

  context.subscriptions.push(
    log,
    { dispose: () => void engine.dispose() },
    transfers,
    tree,
    reports,
    new ChainsView(engine, transfers, reports, context.workspaceState, log),
    new TransferStatus(transfers),
    vscode.window.createTreeView('deltascope.transfers', { treeDataProvider: tree }),
    vscode.commands.registerCommand('deltascope.cloneStream', (address?: string, parent?: string) =>
      clone.run(address, parent),
    ),
    vscode.commands.registerCommand('deltascope.forgetCredentials', () => credentials.forgetAll()),
    ...registerTransferCommands(transfers, log),
  );
}
