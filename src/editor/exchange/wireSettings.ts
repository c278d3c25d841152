import * as vscode from 'vscode';
import type { WireSettings } from '../../engine/wire/wireSettings';
import type { CredentialStore } from '../credentialStore';

/** How the engine talks to servers: as the settings say, asking for what only a person knows. */
export class EditorWire {
  constructor(private readonly credentials: CredentialStore) {}

  /** @param _signal is aborted when the operation is over that they are for */
  settings(_signal: AbortSignal): WireSettings {
    const stallSeconds = vscode.workspace.getConfiguration('deltascope').get<number>('network.stallTimeout', 60);
    return {
      credentials: (challenge) => this.credentials.provide(challenge),
      stallTimeout: stallSeconds * 1000,
    };
  }
}
