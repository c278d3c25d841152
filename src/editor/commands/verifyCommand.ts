import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { VerifySummary } from '../../engine/verify/verifyRepository';
import type { Repositories } from '../chains/repositories';
import { chooseRepository, type RepositoryArgument } from '../exchange/chooseRepository';
import type { TransferRunner } from '../transfers/runTransfer';
import { shareOfVerify } from '../transfers/shares';
import { numberInWords } from '../words';

/** Faults that the transfer shows; the log has all that were told. */
const mostShown = 20;

/** *Verify repository*: checks every text of a repository, and says what is wrong. */
export class VerifyCommand {
  constructor(
    private readonly engine: Engine,
    private readonly runner: TransferRunner,
    private readonly repositories: Repositories,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async run(given?: RepositoryArgument): Promise<void> {
    const root = await chooseRepository(this.repositories, vscode.l10n.t('Verify repository'), given);
    if (root === undefined) return;
    await this.runner.run(
      {
        title: vscode.l10n.t('Verifying {0}', basename(root)),
        source: root,
        destination: root,
        share: shareOfVerify,
        whatIsLeft: vscode.l10n.t('Nothing was changed.'),
        work: (operation) => this.engine.verify(root, operation),
      },
      (summary, transfer) => {
        const faults = summary.faults.map(faultLine);
        for (const fault of faults) this.log.error(`${basename(root)}: ${fault}`);
        const more = summary.faultCount - Math.min(mostShown, faults.length);
        transfer.conclude({
          warnings: [
            ...faults.slice(0, mostShown),
            ...(more > 0 ? [vscode.l10n.t('and {0} more', numberInWords(more))] : []),
          ],
        });
        this.log.info(`${basename(root)}: ${verdictOf(summary)}`);
        void this.tellOf(summary);
      },
    );
  }

  private async tellOf(summary: VerifySummary): Promise<void> {
    if (summary.faultCount === 0) {
      void vscode.window.showInformationMessage(verdictOf(summary));
      return;
    }
    const showLog = vscode.l10n.t('Show log');
    if ((await vscode.window.showErrorMessage(verdictOf(summary), showLog)) === showLog) this.log.show();
  }
}

function verdictOf({ root, changesets, manifests, files, fileRevisions, faultCount }: VerifySummary): string {
  const name = basename(root);
  const checked = vscode.l10n.t(
    'Checked {0} changesets, {1} manifests, {2} revisions of {3} files.',
    ...[changesets, manifests, fileRevisions, files].map(numberInWords),
  );
  return faultCount === 0
    ? vscode.l10n.t('Nothing is wrong with {0}. {1}', name, checked)
    : faultCount === 1
      ? vscode.l10n.t('1 fault in {0}. {1}', name, checked)
      : vscode.l10n.t('{0} faults in {1}. {2}', numberInWords(faultCount), name, checked);
}

function faultLine({ history, message }: VerifySummary['faults'][number]): string {
  const name = history.replace(/^data\/(.*)\.i$/, '$1');
  return `${Buffer.from(name, 'latin1').toString()}: ${message}`;
}
