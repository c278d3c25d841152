import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { PullSummary } from '../../engine/exchange/pullRequest';
import type { AddressHistory } from '../addressHistory';
import type { Repositories } from '../chains/repositories';
import { addressOf, choosePath } from '../exchange/choosePath';
import { chooseRepository, type RepositoryArgument } from '../exchange/chooseRepository';
import { explained } from '../exchange/explained';
import { findUpdate, update } from '../exchange/offerUpdate';
import { pullInWords } from '../exchange/pullWords';
import { shownAddress } from '../exchange/shownAddress';
import type { EditorWire } from '../exchange/wireSettings';
import type { TransferRunner } from '../transfers/runTransfer';
import { shareOfPull } from '../transfers/shares';
import type { Transfer } from '../transfers/transfer';

/** What the pulls of the editor need, and those that bring changesets in other ways. */
export interface PullServices {
  engine: Engine;
  runner: TransferRunner;
  wire: EditorWire;
  repositories: Repositories;
  history: AddressHistory;
  /** Is told of every pull that succeeded. */
  onPulled: (summary: PullSummary) => void;
}

/** *Pull* and *Apply bundle*: bring changesets into a repository; the working copy stays as it is. */
export class PullCommand {
  constructor(private readonly services: PullServices) {}

  /** @param source an address, or the name of a path; asked for when it is not given and there are several */
  async pull(given?: RepositoryArgument, source?: string): Promise<void> {
    const { engine, wire, repositories, history } = this.services;
    const title = vscode.l10n.t('Pull');
    const root = await chooseRepository(repositories, title, given);
    if (root === undefined) return;
    const from = source ?? (await explained(() => choosePath(root, title, history.all)));
    if (from === undefined) return;
    const address = await explained(() => addressOf(root, from));
    if (address === undefined) return;
    await this.bring(vscode.l10n.t('Pulling {0}', basename(root)), root, address, (operation) =>
      engine.pull({ root, source: from, settings: wire.settings(operation.signal) }, operation),
    );
  }

  /** @param bundle and `given`, the repository, are asked for when they are not given */
  async applyBundle(bundle?: vscode.Uri, given?: RepositoryArgument): Promise<void> {
    const { engine, repositories } = this.services;
    const path = (bundle ?? (await askBundle()))?.fsPath;
    if (path === undefined) return;
    const root = await chooseRepository(repositories, vscode.l10n.t('Apply {0}', basename(path)), given);
    if (root === undefined) return;
    await this.bring(vscode.l10n.t('Applying {0}', basename(path)), root, path, (operation) =>
      engine.unbundle({ root, bundle: path }, operation),
    );
  }

  private bring(
    title: string,
    root: string,
    source: string,
    work: (operation: Parameters<Engine['pull']>[1]) => Promise<PullSummary>,
  ): Promise<void> {
    const whatIsLeft = vscode.l10n.t('The repository is as it was before.');
    return this.services.runner.run(
      { title, source: shownAddress(source), destination: root, share: shareOfPull, whatIsLeft, work },
      (summary, transfer) => {
        const { bytesOnWire, bytesOnDisk, warnings } = summary;
        transfer.conclude({ bytesOnWire, bytesOnDisk, warnings });
        this.services.onPulled(summary);
        void this.tellOf(summary, transfer);
      },
    );
  }

  /** With an offer to update where nothing would have to be merged, and no change of a person's be touched. */
  private async tellOf(summary: PullSummary, transfer: Transfer): Promise<void> {
    const { engine, runner } = this.services;
    const { root, changesets, bookmarks } = summary;
    const isNews = changesets.length > 0 || bookmarks.moved.length > 0;
    const { to, why } = isNews ? await findUpdate(engine, root) : { why: '' };
    const report = vscode.l10n.t('Show report');
    const go = vscode.l10n.t('Update');
    const text = [pullInWords(summary), why].filter(Boolean).join(' ');
    const chosen = await vscode.window.showInformationMessage(text, ...(to === undefined ? [report] : [go, report]));
    if (chosen === go && to !== undefined) await update(engine, runner, root, to);
    if (chosen === report) await vscode.commands.executeCommand('deltascope.showTransferReport', transfer.id);
  }
}

async function askBundle(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Choose a Mercurial bundle'),
    openLabel: vscode.l10n.t('Apply'),
    filters: { [vscode.l10n.t('Mercurial bundles')]: ['hg', 'bundle', '*'] },
  });
  return chosen?.at(0);
}
