import * as vscode from 'vscode';
import { AskpassServer } from './askpassServer';
import { kindOf, type SshQuestion } from './sshQuestion';

/** Asks in the editor what `ssh` wants to know: passphrases, passwords, whether a host is the right one. */
export class SshPrompts implements vscode.Disposable {
  private server: AskpassServer | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** @param helperScript path of the bundled `askpass.js` */
  constructor(private readonly helperScript: string) {}

  /**
   * For an `ssh` of this operation. Empty on Windows, where what the other side asks would pass through a command line:
   * there the agent has to have the keys.
   */
  async environment(address: string, signal: AbortSignal): Promise<NodeJS.ProcessEnv> {
    if (process.platform === 'win32') return {};
    this.server ??= new AskpassServer(this.helperScript, (question, of, stop) => this.inTurn(question, of, stop));
    return this.server.environment(address, signal);
  }

  dispose(): void {
    this.server?.[Symbol.dispose]();
  }

  /** One question at a time: a box would take the place of the other one. */
  private inTurn(question: SshQuestion, address: string, signal: AbortSignal): Promise<string | undefined> {
    const turn = this.last.then(() => (signal.aborted ? undefined : ask(question, address, signal)));
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

async function ask(question: SshQuestion, address: string, signal: AbortSignal): Promise<string | undefined> {
  const text = question.text.trim();
  switch (kindOf(question)) {
    case 'host': {
      const connect = vscode.l10n.t('Connect');
      const title = vscode.l10n.t('The host of {0} is not known yet.', address);
      const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail: text }, connect);
      return chosen === connect ? 'yes' : 'no';
    }
    case 'confirm': {
      const allow = vscode.l10n.t('Allow');
      const title = vscode.l10n.t('May {0} use this key?', address);
      const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail: text }, allow);
      return chosen === allow ? '' : undefined;
    }
    case 'notice':
      await notify(text, signal);
      return '';
    case 'secret':
      return askSecret(text, address, signal);
  }
}

async function askSecret(prompt: string, address: string, signal: AbortSignal): Promise<string | undefined> {
  const cancel = new vscode.CancellationTokenSource();
  const stop = () => cancel.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const options = { title: address, prompt, password: true, ignoreFocusOut: true };
    return await vscode.window.showInputBox(options, cancel.token);
  } finally {
    signal.removeEventListener('abort', stop);
    cancel.dispose();
  }
}

/** Shows what is to be done until `ssh` has noticed that it was. */
function notify(title: string, signal: AbortSignal): Thenable<void> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title },
    () => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  );
}
