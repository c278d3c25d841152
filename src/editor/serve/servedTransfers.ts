import * as vscode from 'vscode';
import type { ServedTransfer, ServeEvent } from '../../engine/server/serveRequest';
import type { Transfer } from '../transfers/transfer';
import type { Transfers } from '../transfers/transfers';
import { bytesInWords } from '../words';
import type { RunningServer } from './servers';

/** What clients of one server fetch, as transfers: one for each bundle. Short questions are only counted. */
export class ServedTransfers {
  private readonly running = new Map<ServedTransfer, Transfer>();

  constructor(
    private readonly served: RunningServer,
    private readonly transfers: Transfers,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  note({ type, client }: ServeEvent): void {
    const { request, remote, userAgent, id } = client;
    // What has no form is no bundle, or one that is still being thought of.
    if (request?.format === undefined || type === 'connected') return;
    let transfer = this.running.get(request);
    if (transfer === undefined) {
      if (request.state !== 'running') return;
      const title = vscode.l10n.t('Serving {0}', this.served.name);
      const destination = [remote, userAgent].filter(Boolean).join(' · ');
      const cancel = () => this.served.server.disconnect(id);
      transfer = this.transfers.begin(title, this.served.root, destination, { cancel }, 'served');
      this.running.set(request, transfer);
      this.transfers.note(transfer, {
        type: 'negotiated',
        format: request.format,
        mediaType: request.mediaType,
        compression: request.compression ?? 'none',
        reason: request.reason ?? '',
      });
    }
    this.transfers.note(transfer, {
      type: 'phase',
      phase: 'transfer',
      state: request.state === 'done' ? 'done' : 'running',
      done: request.bytesSent,
      // Only what travels as it is has a size that is known before.
      total: request.state === 'done' ? request.bytesSent : request.compression === 'none' ? request.bytes : undefined,
      unit: 'bytes',
    });
    if (request.state !== 'running') this.finish(request, transfer);
  }

  private finish(request: ServedTransfer, transfer: Transfer): void {
    this.running.delete(request);
    this.log.info(`${transfer.title}, ${transfer.destination}: ${request.state}, ${bytesInWords(request.bytesSent)}`);
    transfer.conclude({ bytesSent: request.bytesSent });
    if (request.state === 'done') this.transfers.finish(transfer, 'done');
    else if (request.state === 'broken off') this.transfers.finish(transfer, 'cancelled');
    else this.transfers.finish(transfer, 'failed', request.error);
  }
}
