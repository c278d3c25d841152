import * as vscode from 'vscode';
import { optimizeState } from '../../engine/optimize/optimizeStore';
import type { CompareReport, CompareSubject, FromCompare, ToCompare } from '../../protocol/compareReport';
import { storeState } from '../chains/storeState';
import { showPage } from './webviewPage';

const viewType = 'deltascope.compare';

/** Reports of comparisons: a panel for each thing that was compared. */
export class CompareReports implements vscode.WebviewPanelSerializer<{ report?: CompareReport }>, vscode.Disposable {
  private readonly open = new Map<string, ShownComparison>();
  private readonly registration: vscode.Disposable;

  constructor(private readonly extension: vscode.Uri) {
    this.registration = vscode.window.registerWebviewPanelSerializer(viewType, this);
  }

  /** Shows a comparison that was made just now. */
  show(report: CompareReport): void {
    const shown = this.open.get(keyOf(report.subject));
    if (shown === undefined) {
      this.keep(vscode.window.createWebviewPanel(viewType, titleOf(report.subject), vscode.ViewColumn.Active), report);
      return;
    }
    shown.panel.reveal();
    shown.replace(report);
  }

  /** Tells the reports of a repository how it stands with it. */
  look(root: string | undefined): void {
    for (const shown of this.open.values()) if (root === undefined || shown.root === root) shown.tellStanding();
  }

  /** The comparison of the whole repository, where one is open. */
  of(root: string): CompareReport | undefined {
    return this.open.get(keyOf({ root, selection: 'all', name: '' }))?.report;
  }

  /** After the window was loaded again: the page has kept what it showed. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: { report?: CompareReport } | undefined): Promise<void> {
    if (state?.report === undefined) panel.dispose();
    else this.keep(panel, state.report);
    return Promise.resolve();
  }

  dispose(): void {
    this.registration.dispose();
    for (const { panel } of this.open.values()) panel.dispose();
  }

  private keep(panel: vscode.WebviewPanel, report: CompareReport): void {
    const key = keyOf(report.subject);
    this.open.set(key, new ShownComparison(panel, report, this.extension));
    panel.onDidDispose(() => this.open.delete(key));
  }
}

/** One comparison on the screen. What the page asks for are commands of ours. */
class ShownComparison {
  private isReady = false;

  constructor(
    readonly panel: vscode.WebviewPanel,
    public report: CompareReport,
    extension: vscode.Uri,
  ) {
    panel.webview.onDidReceiveMessage((message: FromCompare) => void this.answer(message));
    showPage(panel.webview, extension, 'compare', titleOf(report.subject));
  }

  get root(): string {
    return this.report.subject.root;
  }

  replace(report: CompareReport): void {
    this.report = report;
    if (this.isReady) this.send();
  }

  tellStanding(): void {
    if (!this.isReady) return;
    const isOutdated = this.report.storeState !== storeState({ kind: 'hg', root: this.root });
    this.post({ type: 'standing', standing: { optimize: stateOf(this.root), isOutdated } });
  }

  private async answer(message: FromCompare): Promise<void> {
    const { subject, comparison } = this.report;
    const run = (command: string, argument: unknown, more?: unknown) =>
      vscode.commands.executeCommand(`deltascope.${command}`, argument, more);
    switch (message.type) {
      case 'ready':
        this.isReady = true;
        this.send();
        return;
      case 'compareAgain':
        await run('compareDeltaChoices', subject);
        return;
      case 'optimize':
        await run('optimizeStore', { ...subject, policy: message.policy, comparison });
        return;
      case 'confirm':
      case 'undo':
      case 'finish':
        await run(`optimize.${message.type}`, subject.root);
        return;
      case 'showChain': {
        const { index, revlog: name, rev } = message;
        await run('showChains', { kind: 'revlog', index, name, repository: subject.root }, rev);
        return;
      }
    }
  }

  private send(): void {
    this.post({ type: 'report', report: this.report });
    this.tellStanding();
  }

  private post(message: ToCompare): void {
    void this.panel.webview.postMessage(message);
  }
}

function stateOf(root: string): ReturnType<typeof optimizeState> {
  try {
    return optimizeState(root);
  } catch {
    return 'none';
  }
}

function keyOf({ root, selection }: CompareSubject): string {
  return `${root}\n${typeof selection === 'object' ? selection.index : selection}`;
}

function titleOf({ name }: CompareSubject): string {
  return vscode.l10n.t('Delta choices: {0}', name);
}
