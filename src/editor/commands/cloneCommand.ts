import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { CloneSummary } from '../../engine/exchange/cloneRequest';
import type { Operation } from '../../engine/io/operation';
import type { AddressHistory } from '../addressHistory';
import { askAddress } from '../askAddress';
import { askDestination } from '../askDestination';
import { shownAddress } from '../exchange/shownAddress';
import type { EditorWire } from '../exchange/wireSettings';
import { logSummary } from '../operationLog';
import type { TransferRunner } from '../transfers/runTransfer';
import { shareOfPull, shareOfStream } from '../transfers/shares';
import { offerToOpen } from './offerToOpen';

/** As a copy of the server's store, or changeset by changeset. */
export type CloneKind = 'stream' | 'pull';

/** *Clone repository*: asks where from and where to, clones, and offers to open what came. */
export class CloneCommand {
  constructor(
    private readonly engine: Engine,
    private readonly runner: TransferRunner,
    private readonly wire: EditorWire,
    private readonly history: AddressHistory,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** @param address and `parent` are asked for when they are not given. */
  async run(kind: CloneKind, address?: string, parent?: string): Promise<void> {
    const title =
      kind === 'stream' ? vscode.l10n.t('Clone repository (stream)') : vscode.l10n.t('Clone repository (pull)');
    const source = address ?? (await askAddress(title, this.history.all));
    if (source === undefined) return;
    const destination = await askDestination(title, source, parent);
    if (destination === undefined) return;
    await this.history.add(source);
    await this.clone(kind, source, destination);
  }

  private clone(kind: CloneKind, source: string, destination: string): Promise<void> {
    return this.runner.run(
      {
        title: vscode.l10n.t('Cloning {0}', basename(destination)),
        source: shownAddress(source),
        destination,
        share: kind === 'stream' ? shareOfStream : shareOfPull,
        whatIsLeft: vscode.l10n.t('Nothing was left behind.'),
        work: (operation) => this.work(kind, source, destination, operation),
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

  private work(kind: CloneKind, source: string, destination: string, operation: Operation): Promise<CloneSummary> {
    const settings = this.wire.settings(operation.signal);
    const request = { source, destination, update: { kind: 'default' }, settings } as const;
    return kind === 'stream' ? this.engine.clone(request, operation) : this.engine.cloneByPull(request, operation);
  }
}
