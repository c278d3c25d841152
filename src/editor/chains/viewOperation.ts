import * as vscode from 'vscode';
import type { Operation, ProgressEvent } from '../../engine/io/operation';
import { logOperation } from '../operationLog';

/** Runs an operation of the engine with the progress bar of the *Delta chains* view and lines in the log. */
export function viewOperation<T>(
  log: vscode.LogOutputChannel,
  title: string,
  abort: AbortController,
  progress: (event: ProgressEvent) => void,
  run: (operation: Operation) => Promise<T>,
): Promise<T> {
  return Promise.resolve(
    vscode.window.withProgress({ location: { viewId: 'deltascope.chains' } }, () =>
      run(logOperation(log, title, { signal: abort.signal, progress, log: () => undefined })),
    ),
  );
}
