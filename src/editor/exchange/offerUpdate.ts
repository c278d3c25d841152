import { basename, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { FastForward, StayReason } from '../../engine/exchange/fastForward';
import { EngineError } from '../../engine/io/errors';
import { unattended } from '../../engine/io/operation';
import type { Node } from '../../engine/revlog/node';
import type { TransferRunner } from '../transfers/runTransfer';
import { amountInWords } from '../words';

/** Whether the working copy can go forward after a pull, and a sentence where a person may wonder why not. */
export async function findUpdate(engine: Engine, root: string): Promise<{ to?: Node; why: string }> {
  if (hasUnsaved(root)) return { why: stayInWords('changes') };
  try {
    const found: FastForward = await engine.findFastForward(root, unattended);
    return 'to' in found ? { to: found.to, why: '' } : { why: stayInWords(found.reason) };
  } catch (error) {
    // The pull has succeeded; what is wrong with the working copy is for the one who looks at it.
    if (error instanceof EngineError) return { why: '' };
    throw error;
  }
}

/** Brings the working copy forward, as a transfer of its own. */
export async function update(engine: Engine, runner: TransferRunner, root: string, to: Node): Promise<void> {
  const name = basename(root);
  if (hasUnsaved(root)) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('{0} has files that are not saved: nothing was updated.', name),
    );
    return;
  }
  await runner.run(
    {
      title: vscode.l10n.t('Updating {0}', name),
      source: to.slice(0, 12),
      destination: root,
      share: (transfer) => transfer.fraction ?? 0,
      whatIsLeft: vscode.l10n.t('The working copy is as it was before.'),
      work: (operation) => engine.fastForward({ root, to }, operation),
    },
    ({ files }) =>
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Updated {0} to {1}: {2}.', name, to.slice(0, 12), amountInWords(files, 'files')),
      ),
  );
}

function stayInWords(reason: StayReason): string {
  switch (reason) {
    case 'changes':
      return vscode.l10n.t('The working copy has changes, and stays as it is.');
    case 'heads':
      return vscode.l10n.t('There is more than one head: the working copy stays as it is.');
    case 'rewritten':
      return vscode.l10n.t('Its changeset was rewritten: the working copy stays as it is.');
    case 'current':
    case 'unsupported':
      return '';
  }
}

function hasUnsaved(root: string): boolean {
  return vscode.workspace.textDocuments.some(
    ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && uri.fsPath.startsWith(root + sep),
  );
}
