import * as vscode from 'vscode';
import type { ProgressEvent } from '../../engine/io/operation';
import { Transfer, type TransferActions, type TransferSide, type TransferState } from './transfer';

const kept = 50;
const refreshMilliseconds = 200;

/** All transfers of this window, newest first. Tells its listeners of changes a few times a second at the most. */
export class Transfers implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private transfers: Transfer[] = [];
  private timer: NodeJS.Timeout | undefined;
  private nextId = 1;

  readonly onDidChange = this.changed.event;

  get all(): readonly Transfer[] {
    return this.transfers;
  }

  get running(): readonly Transfer[] {
    return this.transfers.filter(({ state }) => state === 'running');
  }

  begin(title: string, source: string, destination: string, actions: TransferActions, side?: TransferSide): Transfer {
    const transfer = new Transfer(this.nextId++, title, source, destination, actions, undefined, side);
    this.transfers = [transfer, ...this.transfers].slice(0, kept);
    this.tell();
    return transfer;
  }

  note(transfer: Transfer, event: ProgressEvent): void {
    transfer.note(event);
    this.timer ??= setTimeout(() => this.tell(), refreshMilliseconds);
  }

  finish(transfer: Transfer, state: Exclude<TransferState, 'running'>, failure?: string): void {
    transfer.finish(state, failure);
    this.tell();
  }

  clearFinished(): void {
    this.transfers = [...this.running];
    this.tell();
  }

  cancelAll(): void {
    for (const { actions } of this.running) actions.cancel();
  }

  /** Stops what still runs. */
  dispose(): void {
    this.cancelAll();
    clearTimeout(this.timer);
    this.changed.dispose();
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.changed.fire();
  }
}
