import * as vscode from 'vscode';
import { userWireSettings } from '../../engine/exchange/userWireSettings';
import type { WireSettings } from '../../engine/wire/wireSettings';
import type { CredentialStore } from '../credentialStore';
import type { SshPrompts } from '../ssh/sshPrompts';

/** How the engine talks to servers: as the settings say, asking for what only a person knows. */
export class EditorWire {
  constructor(
    private readonly credentials: CredentialStore,
    private readonly prompts: SshPrompts,
  ) {}

  /**
   * What the user's own `hgrc` knows comes first.
   * @param signal ends what is being asked when it is aborted
   * @throws as `userWireSettings`
   */
  settings(signal: AbortSignal): WireSettings {
    const configuration = vscode.workspace.getConfiguration('deltascope');
    const stallSeconds = configuration.get<number>('network.stallTimeout', 60);
    const sshPath = configuration.get<string>('ssh.path', '').trim();
    return userWireSettings({
      credentials: (challenge) => this.credentials.provide(challenge),
      stallTimeout: stallSeconds * 1000,
      sshCommand: sshPath === '' ? undefined : [sshPath],
      sshEnvironment: (address) => this.prompts.environment(address, signal),
    });
  }
}
