import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import { AddressHistory } from '../addressHistory';
import type { Repositories } from '../chains/repositories';
import { BundleEditor } from '../bundles/bundleEditor';
import { CloneCommand, type CloneKind } from '../commands/cloneCommand';
import { IncomingCommand } from '../commands/incomingCommand';
import { PullCommand } from '../commands/pullCommand';
import { VerifyCommand } from '../commands/verifyCommand';
import type { CredentialStore } from '../credentialStore';
import { SshPrompts } from '../ssh/sshPrompts';
import type { TransferRunner } from '../transfers/runTransfer';
import type { Transfers } from '../transfers/transfers';
import { CloneLinks } from './cloneLinks';
import type { RepositoryArgument } from './chooseRepository';
import { RepositoryContext } from './repositoryContext';
import { EditorWire } from './wireSettings';

/** What the exchange with other repositories needs of the editor. */
export interface ExchangeServices {
  extension: vscode.Uri;
  engine: Engine;
  runner: TransferRunner;
  transfers: Transfers;
  repositories: Repositories;
  credentials: CredentialStore;
  log: vscode.LogOutputChannel;
  state: vscode.Memento;
}

/** Clones, pulls, bundles and checks: their commands, and what they need. */
export function registerExchange(services: ExchangeServices): { dispose: () => unknown }[] {
  const { engine, runner, transfers, repositories, credentials, log, state } = services;
  const prompts = new SshPrompts(vscode.Uri.joinPath(services.extension, 'dist', 'askpass.js').fsPath);
  const wire = new EditorWire(credentials, prompts);
  const history = new AddressHistory(state);
  const clone = new CloneCommand(engine, runner, wire, history, log);
  const pull = new PullCommand({
    engine,
    runner,
    wire,
    repositories,
    history,
    onPulled: ({ root, changesets }) => (changesets.length > 0 ? incoming.drop(root) : undefined),
  });
  const incoming = new IncomingCommand({
    engine,
    runner,
    wire,
    repositories,
    history,
    pull: (root, source) => pull.pull(root, source),
  });
  const verify = new VerifyCommand(engine, runner, repositories, log);
  const cloning = (kind: CloneKind) => (address?: string, parent?: string) => clone.run(kind, address, parent);
  const on = vscode.commands.registerCommand;
  return [
    prompts,
    vscode.window.registerCustomEditorProvider(
      'deltascope.bundle',
      new BundleEditor({ extension: services.extension, engine, repositories, log }),
    ),
    new RepositoryContext(repositories, transfers),
    incoming,
    on('deltascope.cloneStream', cloning('stream')),
    vscode.window.registerUriHandler(new CloneLinks((address) => clone.run('stream', address))),
    on('deltascope.clonePull', cloning('pull')),
    on('deltascope.pull', (repository: RepositoryArgument, source?: string) =>
      pull.pull(repository, typeof source === 'string' ? source : undefined),
    ),
    on('deltascope.incoming', (repository: RepositoryArgument, source?: string) =>
      incoming.run(repository, typeof source === 'string' ? source : undefined),
    ),
    // The explorer gives everything that is selected as well.
    on('deltascope.applyBundle', (bundle?: vscode.Uri, repository?: unknown) =>
      pull.applyBundle(
        bundle instanceof vscode.Uri ? bundle : undefined,
        typeof repository === 'string' ? repository : undefined,
      ),
    ),
    on('deltascope.verify', (repository: RepositoryArgument) => verify.run(repository)),
  ];
}
