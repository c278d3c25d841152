import * as vscode from 'vscode';
import { phaseInWords, secondsInWords } from '../words';
import type { Transfer, TransferPhase, TransferState } from './transfer';
import type { Transfers } from './transfers';
import { phaseLine, progressLine, rateInWords, termsLine } from './transferWords';

/** What the tree is made of. */
export type TransferNode =
  | { kind: 'transfer'; transfer: Transfer }
  | { kind: 'phase'; phase: TransferPhase; transfer: Transfer }
  | { kind: 'terms' | 'destination' | 'failure'; transfer: Transfer }
  | { kind: 'warning'; text: string };

const icons: Record<TransferState, vscode.ThemeIcon> = {
  running: new vscode.ThemeIcon('sync~spin'),
  done: new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed')),
  failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed')),
  cancelled: new vscode.ThemeIcon('circle-slash'),
};

/** The *Transfers* tree: operations, newest first, each with its phases, its terms and its destination. */
export class TransfersTree implements vscode.TreeDataProvider<TransferNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly transfers: Transfers) {
    this.subscription = transfers.onDidChange(() => this.changed.fire(undefined));
  }

  getChildren(node?: TransferNode): TransferNode[] {
    if (node === undefined) return this.transfers.all.map((transfer) => ({ kind: 'transfer', transfer }));
    return node.kind === 'transfer' ? partsOf(node.transfer) : [];
  }

  getTreeItem(node: TransferNode): vscode.TreeItem {
    switch (node.kind) {
      case 'transfer':
        return transferItem(node.transfer);
      case 'phase':
        return phaseItem(node.phase, node.transfer);
      case 'terms':
        return termsItem(node.transfer);
      case 'destination':
        return node.transfer.side === 'served'
          ? leaf(node.transfer.destination, 'plug', vscode.l10n.t('Client'))
          : leaf(node.transfer.destination, 'folder', vscode.l10n.t('Destination'));
      case 'failure':
        return leaf(node.transfer.failure ?? '', 'error', node.transfer.failure);
      case 'warning':
        return leaf(node.text, 'warning', node.text);
    }
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}

function partsOf(transfer: Transfer): TransferNode[] {
  const parts: TransferNode[] = [];
  if (transfer.failure !== undefined) parts.push({ kind: 'failure', transfer });
  if (transfer.negotiated !== undefined) parts.push({ kind: 'terms', transfer });
  for (const phase of transfer.phases.values()) parts.push({ kind: 'phase', phase, transfer });
  for (const text of transfer.warnings) parts.push({ kind: 'warning', text });
  parts.push({ kind: 'destination', transfer });
  return parts;
}

function transferItem(transfer: Transfer): vscode.TreeItem {
  const item = new vscode.TreeItem(transfer.title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `transfer-${transfer.id}`;
  item.iconPath = icons[transfer.state];
  item.description = stateLine(transfer);
  item.contextValue = `${transfer.side === 'served' ? 'served' : 'transfer'}.${transfer.state}`;
  item.tooltip = `${transfer.source} → ${transfer.destination}`;
  item.accessibilityInformation = { label: `${transfer.title}, ${stateLine(transfer)}` };
  return item;
}

function stateLine(transfer: Transfer): string {
  switch (transfer.state) {
    case 'running':
      return progressLine(transfer);
    case 'done':
      return vscode.l10n.t('done in {0}', secondsInWords(transfer.seconds));
    case 'failed':
      return vscode.l10n.t('failed');
    case 'cancelled':
      return vscode.l10n.t('cancelled');
  }
}

function phaseItem(phase: TransferPhase, transfer: Transfer): vscode.TreeItem {
  const item = leaf(phaseInWords(phase.phase), phase.ended === undefined ? 'loading~spin' : 'check', undefined);
  if (phase.ended === undefined && transfer.state !== 'running') item.iconPath = new vscode.ThemeIcon('circle-slash');
  const rate = phase.ended === undefined && transfer.phase === phase ? rateInWords(transfer) : '';
  item.description = [phaseLine(phase), rate].filter(Boolean).join(' · ');
  return item;
}

function termsItem(transfer: Transfer): vscode.TreeItem {
  const item = leaf(termsLine(transfer) ?? '', 'file-zip', transfer.negotiated?.reason);
  item.description = transfer.negotiated?.reason;
  return item;
}

function leaf(label: string, icon: string, tooltip: string | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.tooltip = tooltip;
  return item;
}
