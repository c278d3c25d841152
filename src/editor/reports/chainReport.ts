import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import { EngineError } from '../../engine/io/errors';
import type { ChainReport, FromReport, ReportState, ReportSubject, ToReport } from '../../protocol/chainReport';
import { showPage } from './webviewPage';

const viewType = 'deltascope.chainReport';

/** What reports need of the editor. */
export interface ReportServices {
  extension: vscode.Uri;
  engine: Engine;
  log: vscode.LogOutputChannel;
}

/** Chain reports: one panel for each revlog or pack, and those that editors of files show. */
export class ChainReports implements vscode.WebviewPanelSerializer<ReportState | undefined>, vscode.Disposable {
  private readonly open = new Map<string, ShownReport>();
  private readonly registration: vscode.Disposable;

  constructor(private readonly services: ReportServices) {
    this.registration = vscode.window.registerWebviewPanelSerializer(viewType, this);
  }

  /** Opens the report in a panel, or brings the one that is open to the front. @param row to show the chain of */
  show(subject: ReportSubject, row?: number): void {
    let shown = this.open.get(keyOf(subject));
    if (shown === undefined) {
      const panel = vscode.window.createWebviewPanel(viewType, titleOf(subject), vscode.ViewColumn.Active);
      shown = this.keep(panel, subject);
    } else shown.panel.reveal();
    if (row !== undefined) shown.pick(row);
  }

  /** Shows the report in a panel that is there, such as that of a custom editor. */
  showIn(panel: vscode.WebviewPanel, subject: ReportSubject): void {
    new ShownReport(panel, subject, this.services);
  }

  /** Reads again what reports of this repository show: something in it has changed. */
  refresh(repository: string): void {
    for (const shown of this.open.values()) {
      if (shown.subject.kind === 'revlog' && shown.subject.repository === repository) shown.outdate();
    }
  }

  /** After the window was loaded again. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: ReportState | undefined): Promise<void> {
    if (state === undefined) panel.dispose();
    else this.keep(panel, state.subject);
    return Promise.resolve();
  }

  dispose(): void {
    this.registration.dispose();
    for (const { panel } of this.open.values()) panel.dispose();
  }

  private keep(panel: vscode.WebviewPanel, subject: ReportSubject): ShownReport {
    const shown = new ShownReport(panel, subject, this.services);
    this.open.set(keyOf(subject), shown);
    panel.onDidDispose(() => this.open.delete(keyOf(subject)));
    return shown;
  }
}

/** One report on the screen: reads it when the page asks, and again when that is outdated. */
class ShownReport {
  private reading: Promise<ChainReport> | undefined;
  private readonly stop = new AbortController();
  private picked: number | undefined;
  private isReady = false;

  constructor(
    readonly panel: vscode.WebviewPanel,
    readonly subject: ReportSubject,
    private readonly services: ReportServices,
  ) {
    panel.webview.onDidReceiveMessage((message: FromReport) => void this.answer(message));
    panel.onDidDispose(() => this.stop.abort());
    showPage(panel.webview, services.extension, 'report', titleOf(subject));
  }

  pick(row: number): void {
    this.picked = row;
    if (this.isReady) this.post({ type: 'pick', row });
  }

  outdate(): void {
    this.reading = undefined;
    if (this.isReady) void this.send();
  }

  private async answer(message: FromReport): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.isReady = true;
        return this.send();
      case 'retry':
        this.reading = undefined;
        return this.send();
      case 'copy':
        return vscode.env.clipboard.writeText(message.text);
      case 'openText':
        await vscode.commands.executeCommand('deltascope.openRevisionText', this.subject, message.row);
        return;
      case 'reveal':
        await vscode.commands.executeCommand('deltascope.chains.reveal', this.subject, message.row);
        return;
      case 'export':
        await vscode.commands.executeCommand('deltascope.exportChains', this.subject);
        return;
    }
  }

  /** The head first, so that there is something to read; then column after column, with time for others in between. */
  private async send(): Promise<void> {
    try {
      const reading = (this.reading ??= this.read());
      const { head, values } = await reading;
      if (this.reading !== reading) return;
      this.post({ type: 'head', head });
      for (const [key, column] of Object.entries(values)) {
        await setImmediate();
        this.post({ type: 'column', key, values: column });
      }
      this.post({ type: 'complete' });
      if (this.picked !== undefined) this.post({ type: 'pick', row: this.picked });
    } catch (error) {
      this.reading = undefined;
      if (error instanceof EngineError && error.kind === 'cancelled') return;
      const text = error instanceof Error ? error.message : String(error);
      this.services.log.error(`${titleOf(this.subject)}: ${text}`);
      const advice = error instanceof EngineError ? error.advice : undefined;
      this.post({ type: 'failed', message: text, advice });
    }
  }

  private read(): Promise<ChainReport> {
    let told = 0;
    return this.services.engine.chainReport(this.subject, {
      signal: this.stop.signal,
      progress: (event) => {
        const now = performance.now();
        if (event.type !== 'phase' || now - told < 100) return;
        told = now;
        this.post({ type: 'progress', done: event.done, total: event.total });
      },
      log: (level, text) => this.services.log[level](text),
    });
  }

  private post(message: ToReport): void {
    if (!this.stop.signal.aborted) void this.panel.webview.postMessage(message);
  }
}

function keyOf(subject: ReportSubject): string {
  return subject.kind === 'pack' ? subject.path : subject.index;
}

function titleOf(subject: ReportSubject): string {
  const name = subject.kind === 'pack' ? subject.path : subject.name;
  return vscode.l10n.t('Chains: {0}', name.split(/[/\\]/).pop() ?? name);
}
