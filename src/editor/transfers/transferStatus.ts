import * as vscode from 'vscode';
import type { Transfer } from './transfer';
import type { Transfers } from './transfers';
import { phaseLine, termsLine, transferLine } from './transferWords';
import { phaseInWords } from '../words';

/** The status bar item that shows the newest running transfer; a click opens all of them. */
export class TransferStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('deltascope.transfer', vscode.StatusBarAlignment.Left, 100);
  private readonly subscription: vscode.Disposable;

  constructor(private readonly transfers: Transfers) {
    this.item.name = vscode.l10n.t('Deltascope transfers');
    this.item.command = 'deltascope.showTransfers';
    this.subscription = transfers.onDidChange(() => this.refresh());
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private refresh(): void {
    // What clients fetch has an item of its own.
    const running = this.transfers.running.filter(({ side }) => side === 'own');
    const newest = running.at(0);
    if (newest === undefined) {
      this.item.hide();
      return;
    }
    const more = running.length > 1 ? ` (+${running.length - 1})` : '';
    this.item.text = `$(cloud-download) ${transferLine(newest)}${more}`;
    this.item.accessibilityInformation = { label: transferLine(newest) };
    this.item.tooltip = tooltip(running);
    this.item.show();
  }
}

function tooltip(running: readonly Transfer[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const transfer of running) {
    text.appendMarkdown('**').appendText(transfer.title).appendMarkdown('**\n\n');
    text.appendText(`${transfer.source} → ${transfer.destination}`).appendMarkdown('\n\n');
    const terms = termsLine(transfer);
    if (terms !== undefined) text.appendText(`${terms}: ${transfer.negotiated?.reason ?? ''}`).appendMarkdown('\n\n');
    for (const phase of transfer.phases.values()) {
      text
        .appendMarkdown('- ')
        .appendText(`${phaseInWords(phase.phase)}: ${phaseLine(phase)}`)
        .appendMarkdown('\n');
    }
  }
  return text;
}
