import * as vscode from 'vscode';
import { bytesInWords } from '../words';
import type { RunningServer, Servers } from './servers';

/** The status bar item that says what is served, to how many clients and how fast; a click offers what can be done. */
export class ServeStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('deltascope.serve', vscode.StatusBarAlignment.Left, 99);
  private readonly subscription: vscode.Disposable;
  /** While something is served: a rate goes down by itself, without anything that happens. */
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly servers: Servers) {
    this.item.name = vscode.l10n.t('Deltascope server');
    this.item.command = 'deltascope.serving';
    this.subscription = servers.onDidChange(() => this.refresh());
  }

  dispose(): void {
    this.stopTimer();
    this.subscription.dispose();
    this.item.dispose();
  }

  private stopTimer(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private refresh(): void {
    const { all } = this.servers;
    if (all.length === 0) {
      this.stopTimer();
      this.item.hide();
      return;
    }
    this.timer ??= setInterval(() => this.refresh(), 2000);
    const what = all.length === 1 ? all[0].name : vscode.l10n.t('{0} repositories', all.length);
    const line = [vscode.l10n.t('Serving {0}', what), ...trafficOf(all)].join(' · ');
    this.item.text = `$(broadcast) ${line}`;
    this.item.accessibilityInformation = { label: line, role: 'button' };
    this.item.tooltip = all.map(({ address, server }) => [address, ...trafficOf([{ server }])].join(' · ')).join('\n');
    this.item.show();
  }
}

function trafficOf(servers: readonly Pick<RunningServer, 'server'>[]): string[] {
  const clients = servers.reduce((sum, { server }) => sum + server.clients.length, 0);
  const rate = servers.reduce((sum, { server }) => sum + server.rate, 0);
  return [
    clients === 1 ? vscode.l10n.t('1 client') : vscode.l10n.t('{0} clients', clients),
    ...(rate > 0 ? [`${bytesInWords(rate)}/s`] : []),
  ];
}
