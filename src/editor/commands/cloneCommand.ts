import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { CloneSummary } from '../../engine/exchange/cloneRequest';
import { EngineError } from '../../engine/io/errors';
import type { ProgressEvent } from '../../engine/io/operation';
import type { AddressHistory } from '../addressHistory';
import { askAddress } from '../askAddress';
import { askDestination } from '../askDestination';
import type { CredentialStore } from '../credentialStore';
import { logOperation, logSummary } from '../operationLog';
import type { Transfer } from '../transfers/transfer';
import type { Transfers } from '../transfers/transfers';
import { progressLine } from '../transfers/transferWords';
import { offerToOpen } from './offerToOpen';

/** *Clone repository (stream)*: asks where from and where to, clones, and offers to open what came. */
export class CloneCommand {
  constructor(
    private readonly engine: Engine,
    private readonly transfers: Transfers,
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

  private async clone(source: string, destination: string): Promise<void> {
    const abort = new AbortController();
    const shownSource = source.replace(/\/\/[^/@]*@/, '//');
    const transfer = this.transfers.begin(
      vscode.l10n.t('Cloning {0}', basename(destination)),
      shownSource,
      destination,
      { cancel: () => abort.abort(), retry: () => void this.clone(source, destination) },
    );
    try {
      const summary = await this.cloneWithProgress(source, transfer, abort);
      transfer.warnings = summary.warnings;
      this.transfers.finish(transfer, 'done');
      logSummary(this.log, summary);
      void offerToOpen(summary);
    } catch (error) {
      void this.explain(error, transfer);
    }
  }

  private cloneWithProgress(source: string, transfer: Transfer, abort: AbortController): Promise<CloneSummary> {
    const options = { location: vscode.ProgressLocation.Notification, title: transfer.title, cancellable: true };
    return Promise.resolve(
      vscode.window.withProgress(options, async (notification, token) => {
        token.onCancellationRequested(() => abort.abort());
        let shown = 0;
        const showProgress = (event: ProgressEvent) => {
          this.transfers.note(transfer, event);
          const share = overallShare(transfer) * 100;
          notification.report({ message: progressLine(transfer), increment: Math.max(0, share - shown) });
          shown = Math.max(shown, share);
        };
        const operation = logOperation(this.log, transfer.title, {
          signal: abort.signal,
          progress: showProgress,
          log: () => undefined,
        });
        return this.engine.clone(this.request(source, transfer.destination), operation);
      }),
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

  private async explain(error: unknown, transfer: Transfer): Promise<void> {
    if (error instanceof EngineError && error.kind === 'cancelled') {
      this.transfers.finish(transfer, 'cancelled');
      this.log.info(`${transfer.title}: cancelled, nothing was left behind`);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    this.transfers.finish(transfer, 'failed', message);
    this.log.error(`${transfer.title}: ${error instanceof EngineError ? `${error.kind}: ` : ''}${message}`);
    if (!(error instanceof EngineError) && error instanceof Error) this.log.error(error);

    const advice = error instanceof EngineError ? (error.advice ?? '') : '';
    const retry = vscode.l10n.t('Retry');
    const showLog = vscode.l10n.t('Show log');
    const text = [message, vscode.l10n.t('Nothing was left behind.'), advice].filter(Boolean).join(' ');
    const chosen = await vscode.window.showErrorMessage(text, retry, showLog);
    if (chosen === retry) transfer.actions.retry();
    if (chosen === showLog) this.log.show();
  }
}

/** How much of the whole clone is done: the transfer is most of it, the checkout the rest. */
function overallShare(transfer: Transfer): number {
  const fraction = transfer.fraction ?? 0;
  if (transfer.phase?.phase === 'transfer') return 0.8 * fraction;
  return transfer.phase?.phase === 'checkout' ? 0.8 + 0.2 * fraction : 0;
}
