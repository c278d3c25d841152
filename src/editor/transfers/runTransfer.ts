import * as vscode from 'vscode';
import { EngineError } from '../../engine/io/errors';
import type { Operation, ProgressEvent } from '../../engine/io/operation';
import { errorInWords } from '../errorInWords';
import { logOperation } from '../operationLog';
import type { Transfer } from './transfer';
import type { Transfers } from './transfers';
import { progressLine } from './transferWords';

/** An operation that people see as a transfer. */
export interface TransferPlan<Result> {
  title: string;
  source: string;
  destination: string;
  work: (operation: Operation) => Promise<Result>;
  /** How much of the whole is done, from 0 to 1. */
  share: (transfer: Transfer) => number;
  /** What a failure leaves, as a sentence. */
  whatIsLeft: string;
}

/** Runs operations as transfers: progress with *Cancel* in a notification, lines in the log, failures with *Retry*. */
export class TransferRunner {
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly transfers: Transfers,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** @param onDone is told of a success, after a retry too. */
  async run<Result>(plan: TransferPlan<Result>, onDone: (result: Result, transfer: Transfer) => void): Promise<void> {
    const abort = new AbortController();
    const transfer = this.transfers.begin(plan.title, plan.source, plan.destination, {
      cancel: () => abort.abort(),
      retry: () => void this.run(plan, onDone),
    });
    let result: Result;
    const working = this.withProgress(plan, transfer, abort);
    this.running.add(working);
    try {
      result = await working;
    } catch (error) {
      void this.explain(error, transfer, plan.whatIsLeft);
      return;
    } finally {
      this.running.delete(working);
    }
    // What it came to is known by the time that reports are told of its end.
    try {
      onDone(result, transfer);
    } finally {
      this.transfers.finish(transfer, 'done');
    }
  }

  /** Resolves when nothing runs any more: what was cancelled has put away what it had begun. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.running);
  }

  private withProgress<Result>(
    { work, share }: TransferPlan<Result>,
    transfer: Transfer,
    abort: AbortController,
  ): Promise<Result> {
    const options = { location: vscode.ProgressLocation.Notification, title: transfer.title, cancellable: true };
    return Promise.resolve(
      vscode.window.withProgress(options, (notification, token) => {
        token.onCancellationRequested(() => abort.abort());
        let shown = 0;
        const progress = (event: ProgressEvent) => {
          this.transfers.note(transfer, event);
          const percent = share(transfer) * 100;
          notification.report({ message: progressLine(transfer), increment: Math.max(0, percent - shown) });
          shown = Math.max(shown, percent);
        };
        return work(logOperation(this.log, transfer.title, { signal: abort.signal, progress, log: () => undefined }));
      }),
    );
  }

  private async explain(error: unknown, transfer: Transfer, whatIsLeft: string): Promise<void> {
    if (error instanceof EngineError && error.kind === 'cancelled') {
      this.transfers.finish(transfer, 'cancelled');
      this.log.info(`${transfer.title}: cancelled. ${whatIsLeft}`);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    this.transfers.finish(transfer, 'failed', message);
    this.log.error(`${transfer.title}: ${error instanceof EngineError ? `${error.kind}: ` : ''}${message}`);
    if (!(error instanceof EngineError) && error instanceof Error) this.log.error(error);

    const retry = vscode.l10n.t('Retry');
    const showLog = vscode.l10n.t('Show log');
    const chosen = await vscode.window.showErrorMessage(errorInWords(error, whatIsLeft), retry, showLog);
    if (chosen === retry) transfer.actions.retry?.();
    if (chosen === showLog) this.log.show();
  }
}
