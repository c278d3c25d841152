import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import { createGitRepository, isGitRepository } from '../../engine/pack/gitRepository';
import type { UnpackReport } from '../../engine/pack/unpackPack';
import type { TransferRunner } from '../transfers/runTransfer';
import type { Transfer } from '../transfers/transfer';
import { amountInWords, bytesInWords } from '../words';

/** *Unpack Git pack*: asks which pack and into which repository, and unpacks it there. */
export class UnpackCommand {
  constructor(
    private readonly engine: Engine,
    private readonly runner: TransferRunner,
  ) {}

  /** @param pack and `repository` are asked for when they are not given. */
  async run(pack?: vscode.Uri, repository?: string): Promise<void> {
    const path = (pack ?? (await askPack()))?.fsPath;
    if (path === undefined) return;
    const target = repository ?? (await askRepository(path));
    if (target === undefined) return;
    await this.runner.run(
      {
        title: vscode.l10n.t('Unpacking {0}', basename(path)),
        source: path,
        destination: target,
        share: ({ phases }) => {
          const read = phases.get('read');
          return read?.total === undefined ? 0 : read.done / Math.max(1, read.total);
        },
        whatIsLeft: vscode.l10n.t('The repository is as it was before.'),
        work: (operation) => this.engine.unpackPack(path, target, operation),
      },
      (report, transfer) => {
        transfer.conclude({
          bytesOnWire: report.packBytes,
          bytesOnDisk: report.looseBytes,
          bufferBytes: report.bufferBytes,
          peakMemory: report.peakMemory,
          streamed: report.streamed,
          streamedObjects: report.streamedObjects,
        });
        void tellOf(report, transfer);
      },
    );
  }
}

async function tellOf(report: UnpackReport, transfer: Transfer): Promise<void> {
  const show = vscode.l10n.t('Show report');
  const done = vscode.l10n.t(
    'Unpacked {0} ({1}) into {2}.',
    amountInWords(report.objects, 'objects'),
    bytesInWords(report.objectBytes),
    basename(report.repository),
  );
  if ((await vscode.window.showInformationMessage(done, show)) === show) {
    await vscode.commands.executeCommand('deltascope.showTransferReport', transfer.id);
  }
}

async function askPack(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Choose a Git pack or bundle'),
    openLabel: vscode.l10n.t('Unpack'),
    filters: { [vscode.l10n.t('Git packs and bundles')]: ['pack', 'bundle'] },
  });
  return chosen?.at(0);
}

/** A repository that is there, or a folder in which one is made. */
async function askRepository(pack: string): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Choose the repository that gets the objects, or a folder for a new one'),
    openLabel: vscode.l10n.t('Unpack here'),
    canSelectFiles: false,
    canSelectFolders: true,
    defaultUri: vscode.Uri.file(dirname(pack)),
  });
  const folder = chosen?.at(0)?.fsPath;
  if (folder === undefined || isGitRepository(folder)) return folder;
  const make = vscode.l10n.t('Make a repository');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0} is not a Git repository. Make one in it?', basename(folder)),
    { modal: true },
    make,
  );
  if (answer !== make) return undefined;
  createGitRepository(folder);
  return folder;
}
