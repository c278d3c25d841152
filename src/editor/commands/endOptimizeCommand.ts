import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import { optimizeState } from '../../engine/optimize/optimizeStore';
import type { OptimizeEnd } from '../../engine/optimize/optimizeTasks';
import { errorInWords } from '../errorInWords';
import type { Repositories } from '../chains/repositories';
import { chooseRepository, type RepositoryArgument } from '../exchange/chooseRepository';
import { logOperation } from '../operationLog';

export interface EndOptimizeServices {
  engine: Engine;
  repositories: Repositories;
  log: vscode.LogOutputChannel;
  onChange: (root: string) => void;
}

/** How an optimisation comes to its end: *Confirm*, *Undo*, and *Finish* for one that was broken off. */
export class EndOptimizeCommand implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  /** Repositories that a person was told of. */
  private readonly told = new Set<string>();

  constructor(private readonly services: EndOptimizeServices) {
    this.subscription = services.repositories.onDidChange(() => void this.findBrokenOff());
    void this.findBrokenOff();
  }

  async run(end: OptimizeEnd, given?: RepositoryArgument): Promise<void> {
    const root = await chooseRepository(this.services.repositories, wordsFor(end), given);
    if (root === undefined) return;
    const { engine, log, onChange } = this.services;
    const title = `${wordsFor(end)}: ${basename(root)}`;
    try {
      const progress = { location: vscode.ProgressLocation.Notification, title };
      await vscode.window.withProgress(progress, () => {
        const operation = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };
        return engine.endOptimize(root, end, logOperation(log, title, operation));
      });
      void vscode.window.showInformationMessage(`${basename(root)}: ${doneInWords(end)}`);
    } catch (error) {
      log.error(`${title}: ${errorInWords(error)}`);
      void vscode.window.showErrorMessage(errorInWords(error));
    } finally {
      onChange(root);
    }
  }

  /** What a press on the row of the *Delta chains* view leads to. */
  async decide(given: RepositoryArgument): Promise<void> {
    const root = await chooseRepository(this.services.repositories, vscode.l10n.t('Optimisation'), given);
    if (root === undefined) return;
    const ends: OptimizeEnd[] = optimizeState(root) === 'unconfirmed' ? ['confirm', 'undo'] : ['finish'];
    const rows = ends.map((end) => ({ label: wordsFor(end), detail: consequenceOf(end), end }));
    const chosen = await vscode.window.showQuickPick(rows, {
      title: vscode.l10n.t('The optimisation of {0}', basename(root)),
    });
    if (chosen !== undefined) await this.run(chosen.end, root);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** A store that was left between the old one and the new one can be read, but should not stay so. */
  private async findBrokenOff(): Promise<void> {
    for (const { kind, root } of await this.services.repositories.all()) {
      if (kind !== 'hg' || this.told.has(root) || stateOf(root) !== 'brokenOff') continue;
      this.told.add(root);
      void this.offerToFinish(root);
    }
  }

  private async offerToFinish(root: string): Promise<void> {
    const finish = wordsFor('finish');
    const text = vscode.l10n.t(
      'An optimisation of {0} was broken off. Every text can be read; finish it, so that the store is one again.',
      basename(root),
    );
    if ((await vscode.window.showWarningMessage(text, finish)) === finish) await this.run('finish', root);
  }
}

function stateOf(root: string): ReturnType<typeof optimizeState> {
  try {
    return optimizeState(root);
  } catch {
    return 'none';
  }
}

function wordsFor(end: OptimizeEnd): string {
  switch (end) {
    case 'confirm':
      return vscode.l10n.t('Confirm the optimisation');
    case 'undo':
      return vscode.l10n.t('Undo the optimisation');
    case 'finish':
      return vscode.l10n.t('Finish the optimisation');
  }
}

function consequenceOf(end: OptimizeEnd): string {
  switch (end) {
    case 'confirm':
      return vscode.l10n.t('Deletes the old store, which is kept until then.');
    case 'undo':
      return vscode.l10n.t('Brings the old store back; not possible once something was committed or pulled.');
    case 'finish':
      return vscode.l10n.t('Puts in place what was written and checked, or drops what was not.');
  }
}

function doneInWords(end: OptimizeEnd): string {
  switch (end) {
    case 'confirm':
      return vscode.l10n.t('The old store is deleted.');
    case 'undo':
      return vscode.l10n.t('The old store is back.');
    case 'finish':
      return vscode.l10n.t('Nothing is left half done.');
  }
}
