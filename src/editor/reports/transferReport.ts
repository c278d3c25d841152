import * as vscode from 'vscode';
import type { FromTransfer, ToTransfer, TransferSnapshot } from '../../protocol/transferReport';
import type { Transfer } from '../transfers/transfer';
import type { Transfers } from '../transfers/transfers';
import { snapshotOf } from './transferSnapshot';
import { showPage } from './webviewPage';

/** Reports of transfers, each in a panel that follows its transfer while it runs. */
export class TransferReports implements vscode.Disposable {
  private readonly panels = new Map<number, vscode.WebviewPanel>();
  private readonly saved = new Set<vscode.WebviewPanel>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly transfers: Transfers,
  ) {
    this.subscription = transfers.onDidChange(() => {
      for (const id of this.panels.keys()) this.send(id);
    });
  }

  /** Opens the report of a transfer, or brings it to the front. @param id by default that of the newest transfer */
  show(id = this.transfers.all.at(0)?.id): void {
    const transfer = this.find(id);
    if (transfer === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no transfer to report on yet.'));
      return;
    }
    const open = this.panels.get(transfer.id);
    if (open !== undefined) {
      open.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel('deltascope.transfer', transfer.title, vscode.ViewColumn.Active);
    this.panels.set(transfer.id, panel);
    panel.onDidDispose(() => this.panels.delete(transfer.id));
    panel.webview.onDidReceiveMessage((message: FromTransfer) => this.answer(message, transfer));
    showPage(panel.webview, this.extension, 'transfer', transfer.title);
  }

  /** Opens the report of a transfer that was saved. */
  showSaved(snapshot: TransferSnapshot): void {
    const panel = vscode.window.createWebviewPanel('deltascope.transfer', snapshot.title, vscode.ViewColumn.Active);
    this.saved.add(panel);
    panel.onDidDispose(() => this.saved.delete(panel));
    panel.webview.onDidReceiveMessage((message: FromTransfer) => {
      if (message.type === 'ready') void panel.webview.postMessage({ type: 'snapshot', snapshot } satisfies ToTransfer);
    });
    showPage(panel.webview, this.extension, 'transfer', snapshot.title);
  }

  dispose(): void {
    this.subscription.dispose();
    for (const panel of [...this.panels.values(), ...this.saved]) panel.dispose();
  }

  private answer(message: FromTransfer, transfer: Transfer): void {
    switch (message.type) {
      case 'ready':
        this.send(transfer.id);
        break;
      case 'cancel':
        transfer.actions.cancel();
        break;
      case 'retry':
        transfer.actions.retry?.();
        break;
      case 'reveal':
        void vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(transfer.destination));
        break;
    }
  }

  private send(id: number): void {
    const transfer = this.find(id);
    if (transfer === undefined) return;
    const message: ToTransfer = { type: 'snapshot', snapshot: snapshotOf(transfer) };
    void this.panels.get(id)?.webview.postMessage(message);
  }

  private find(id: number | undefined): Transfer | undefined {
    return this.transfers.all.find((transfer) => transfer.id === id);
  }
}
