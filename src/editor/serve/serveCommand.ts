import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isLoopback } from '../../engine/server/access';
import { errorInWords } from '../errorInWords';
import type { Repositories } from '../chains/repositories';
import { chooseRepository, type RepositoryArgument } from '../exchange/chooseRepository';
import type { RunningServer, Servers } from './servers';

/** *Serve repository*, and what is offered while one is served. */
export class ServeCommand {
  constructor(
    private readonly servers: Servers,
    private readonly repositories: Repositories,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Serves a repository, and puts its address where it can be pasted from. */
  async serve(given?: RepositoryArgument): Promise<void> {
    const root = await chooseRepository(this.repositories, vscode.l10n.t('Serve repository'), given);
    if (root === undefined) return;
    const running = this.servers.all.find((one) => one.root === root);
    if (running !== undefined) return this.tellOf(running);
    const settings = vscode.workspace.getConfiguration('deltascope.serve');
    const host = settings.get('address', '127.0.0.1');
    const port = settings.get('port', 0);
    // Whoever is on the network has to know more than the address.
    const access = isLoopback(host) ? undefined : { kind: 'token' as const, token: randomBytes(16).toString('hex') };
    try {
      await this.tellOf(await this.servers.start({ root, host, port, access }));
    } catch (error) {
      await this.explain(error, root);
    }
  }

  /** Offers what can be done with the repositories that are served. */
  async choose(): Promise<void> {
    const { all } = this.servers;
    const served = all.length > 1 ? await this.chooseServer() : all.at(0);
    if (served === undefined) return;
    const actions: (vscode.QuickPickItem & { act: () => unknown })[] = [
      { label: vscode.l10n.t('Copy the address'), iconPath: icon('copy'), act: () => this.copy(served) },
      {
        label: vscode.l10n.t('Show transfers'),
        iconPath: icon('arrow-swap'),
        act: () => vscode.commands.executeCommand('deltascope.showTransfers'),
      },
      { label: vscode.l10n.t('Stop serving'), iconPath: icon('debug-stop'), act: () => this.servers.stop(served) },
    ];
    const title = vscode.l10n.t('{0} is served at {1}', served.name, served.address);
    await (await vscode.window.showQuickPick(actions, { title }))?.act();
  }

  /** Stops one server: the only one, or the one that is chosen. */
  async stop(): Promise<void> {
    const served = this.servers.all.length > 1 ? await this.chooseServer() : this.servers.all.at(0);
    if (served !== undefined) await this.servers.stop(served);
  }

  private async chooseServer(): Promise<RunningServer | undefined> {
    const rows = this.servers.all.map((served) => ({ label: served.name, detail: served.address, served }));
    const placeHolder = vscode.l10n.t('Which of the repositories that are served?');
    return (await vscode.window.showQuickPick(rows, { placeHolder }))?.served;
  }

  private async copy({ addressWithToken }: RunningServer): Promise<void> {
    await vscode.env.clipboard.writeText(addressWithToken);
  }

  private async tellOf(served: RunningServer): Promise<void> {
    await this.copy(served);
    const stop = vscode.l10n.t('Stop serving');
    const done = vscode.l10n.t('{0} is served at {1}. The address is copied.', served.name, served.address);
    const isSecret = served.address !== served.addressWithToken;
    const hint = isSecret ? vscode.l10n.t('Who has the copied address, with the token in it, can read it.') : '';
    // Not waited for: the command is done.
    void vscode.window.showInformationMessage([done, hint].filter(Boolean).join(' '), stop).then((chosen) => {
      if (chosen === stop) void this.servers.stop(served);
    });
  }

  private async explain(error: unknown, root: string): Promise<void> {
    this.log.error(`${root}: ${errorInWords(error)}`);
    const settings = vscode.l10n.t('Open settings');
    const chosen = await vscode.window.showErrorMessage(errorInWords(error), settings);
    if (chosen === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'deltascope.serve');
    }
  }
}

function icon(name: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name);
}
