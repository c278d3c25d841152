import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ChainsView } from './editor/chains/chainsView';
import { Repositories } from './editor/chains/repositories';
import { registerExchange } from './editor/exchange/registerExchange';
import { registerTransferCommands } from './editor/commands/transferCommands';
import { UnpackCommand } from './editor/commands/unpackCommand';
import { CredentialStore } from './editor/credentialStore';
import { registerCompare } from './editor/compare/registerCompare';
import { CompareReports } from './editor/reports/compareReport';
import { copyDiagnostics } from './editor/diagnostics/copyDiagnostics';
import { RecentLines } from './editor/diagnostics/recentLines';
import { ChainReports } from './editor/reports/chainReport';
import { registerServe } from './editor/serve/registerServe';
import { registerTraceCommands } from './editor/reports/traceCommands';
import { TransferReports } from './editor/reports/transferReport';
import { TransferRunner } from './editor/transfers/runTransfer';
import { TransferStatus } from './editor/transfers/transferStatus';
import { TransfersTree, type TransferNode } from './editor/transfers/transfersTree';
import { Transfers } from './editor/transfers/transfers';
import { Engine } from './engine/engine';

let leave: (() => Promise<void>) | undefined;

/** Builds the services and registers them; each does its work when it is first asked to. */
export function activate(context: vscode.ExtensionContext): void {
  const texts = vscode.l10n.bundle;
  // For what knows no editor: the engine, and what tests run without one.
  if (texts !== undefined) l10n.config({ contents: texts });
  const lines = new RecentLines();
  const log = lines.of(vscode.window.createOutputChannel('Deltascope', { log: true }));
  const engine = new Engine(context.asAbsolutePath('dist/worker.js'), { texts });
  const transfers = new Transfers();
  const credentials = new CredentialStore(context.secrets, context.globalState);
  const tree = new TransfersTree(transfers);
  const reports = new ChainReports({ extension: context.extensionUri, engine, log });
  const runner = new TransferRunner(transfers, log);
  const transferReports = new TransferReports(context.extensionUri, transfers);
  const unpack = new UnpackCommand(engine, runner);
  const repositories = new Repositories(context.workspaceState);
  const comparisons = new CompareReports(context.extensionUri);
  const chains = new ChainsView(engine, transfers, reports, repositories, log, (root) => comparisons.look(root));

  context.subscriptions.push(
    log,
    transfers,
    tree,
    reports,
    repositories,
    chains,
    comparisons,
    ...registerCompare({
      engine,
      runner,
      repositories,
      reports: comparisons,
      log,
      onChange: (root) => chains.refresh(root),
    }),
    ...registerExchange({
      extension: context.extensionUri,
      engine,
      runner,
      transfers,
      repositories,
      credentials,
      log,
      state: context.globalState,
    }),
    ...registerServe({ engine, transfers, repositories, log }),
    new TransferStatus(transfers),
    vscode.window.createTreeView('deltascope.transfers', { treeDataProvider: tree }),
    transferReports,
    vscode.commands.registerCommand('deltascope.showTransferReport', (of?: number | TransferNode) =>
      transferReports.show(typeof of === 'object' && 'transfer' in of ? of.transfer.id : (of as number | undefined)),
    ),
    vscode.commands.registerCommand('deltascope.unpackPack', (pack?: unknown, repository?: unknown) =>
      // The explorer's menu gives all the chosen files as a second argument.
      unpack.run(
        pack instanceof vscode.Uri ? pack : undefined,
        typeof repository === 'string' ? repository : undefined,
      ),
    ),
    ...registerTraceCommands(transfers, transferReports),
    vscode.commands.registerCommand('deltascope.copyDiagnostics', () =>
      copyDiagnostics(context.extension, transfers, lines),
    ),
    vscode.commands.registerCommand('deltascope.forgetCredentials', () => credentials.forgetAll()),
    ...registerTransferCommands(transfers, log),
  );

  leave = async () => {
    transfers.cancelAll();
    await runner.settled();
    vscode.Disposable.from(...context.subscriptions).dispose();
    await engine.dispose();
  };
}

/**
 * Ends what still runs when the window is closed, and waits until it has put away what it had begun: the editor gives this
 * some seconds, and disposables none.
 */
export async function deactivate(): Promise<void> {
  await leave?.();
  leave = undefined;
}
