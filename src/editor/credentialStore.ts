import * as vscode from 'vscode';
import type { Challenge, Credentials } from '../engine/wire/wireSettings';

const indexKey = 'credentialKeys';

/** Credentials for servers: asked for once, and kept in the editor's secret storage. */
export class CredentialStore {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly state: vscode.Memento,
  ) {}

  /** Answers a server's challenge; what was refused before is forgotten and asked for again. */
  async provide(challenge: Challenge): Promise<Credentials | undefined> {
    const key = keyOf(challenge);
    if (challenge.attempt === 1) {
      const known = await this.secrets.get(key);
      if (known !== undefined) return JSON.parse(known) as Credentials;
    } else {
      await this.secrets.delete(key);
    }
    const given = await ask(challenge);
    if (given !== undefined) await this.keep(key, given);
    return given;
  }

  async forgetAll(): Promise<void> {
    for (const key of this.keys) await this.secrets.delete(key);
    await this.state.update(indexKey, []);
    void vscode.window.showInformationMessage(vscode.l10n.t('Deltascope has forgotten all user names and passwords.'));
  }

  private async keep(key: string, credentials: Credentials): Promise<void> {
    await this.secrets.store(key, JSON.stringify(credentials));
    if (!this.keys.includes(key)) await this.state.update(indexKey, [...this.keys, key]);
  }

  private get keys(): readonly string[] {
    return this.state.get<string[]>(indexKey, []);
  }
}

function keyOf({ address, realm, username }: Challenge): string {
  return JSON.stringify([new URL(address).origin, realm, username ?? '']);
}

async function ask({ address, realm, attempt, username }: Challenge): Promise<Credentials | undefined> {
  const title = realm === '' ? new URL(address).host : `${new URL(address).host} (${realm})`;
  const again = attempt > 1 ? `${vscode.l10n.t('The server did not accept that.')} ` : '';
  const user = await vscode.window.showInputBox({
    title,
    prompt: `${again}${vscode.l10n.t('User name')}`,
    value: username,
    ignoreFocusOut: true,
  });
  if (user === undefined) return undefined;
  const password = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Password of {0}', user),
    password: true,
    ignoreFocusOut: true,
  });
  return password === undefined ? undefined : { username: user, password };
}
