import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { AddressHistory } from '../addressHistory';
import { askAddress } from '../askAddress';
import { askDestination } from '../askDestination';
import type { CredentialStore } from '../credentialStore';
import { logSummary } from '../operationLog';
import type { TransferRunner } from '../transfers/runTransfer';
import type { Transfer } from '../transfers/transfer';
import { offerToOpen } from './offerToOpen';

/** *Clone repository (stream)*: asks where from and where to, clones, and offers to open what came. */
export class CloneCommand {
  constructor(
    private readonly engine: Engine,
    private readonly runner: TransferRunner,
    private readonly credentials: CredentialStore,
    private readonly history: AddressHistory,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** @param address and `parent` are asked for when they are not given. */
  async run(address?: string, parent?: string): Promise<void> {
    const source = address ?? (await askAddress(this.history.all));
    if (source === undefined) return;
    const destination = await askDestination(source, parent);
    if (destination === undefined) return;
    await this.history.add(source);
    await this.clone(source, destination);
  }

  private clone(source: string, destination: string): Promise<void> {
    return this.runner.run(
      {
        title: vscode.l10n.t('Cloning {0}', basename(destination)),
        source: source.replace(/\/\/[^/@]*@/, '//'),
        destination,
        share: overallShare,
        whatIsLeft: vscode.l10n.t('Nothing was left behind.'),
        work: (operation) => this.engine.clone(this.request(source, destination), operation),
      },
      (summary, transfer) => {
        transfer.conclude({
          bytesOnWire: summary.bytesOnWire,
          bytesOnDisk: summary.bytes,
          warnings: summary.warnings,
        });
        logSummary(this.log, summary);
        void offerToOpen(summary);
      },
    );
  }

  private request(source: string, destination: string): Parameters<Engine['clone']>[0] {
    const stallSeconds = vscode.workspace.getConfiguration('deltascope').get<number>('network.stallTimeout', 60);
    return {
      source,
      destination,
      update: { kind: 'default' },
      settings: {
        credentials: (challenge) => this.credentials.provide(challenge),
        stallTimeout: stallSeconds * 1000,
      },
    };
  }
}

/** How much of the whole clone is done: the transfer is most of it, the checkout the rest. */
function overallShare(transfer: Transfer): number {
  const fraction = transfer.fraction ?? 0;
  if (transfer.phase?.phase === 'transfer') return 0.8 * fraction;
  return transfer.phase?.phase === 'checkout' ? 0.8 + 0.2 * fraction : 0;
}
