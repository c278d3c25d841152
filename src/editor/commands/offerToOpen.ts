import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { CloneSummary } from '../../engine/exchange/cloneRequest';
import { numberInWords } from '../words';

type OpenAfterClone = 'prompt' | 'always' | 'alwaysNewWindow' | 'never';

/** Opens a new clone as the setting says, or asks. */
export async function offerToOpen({ destination, update, warnings }: CloneSummary): Promise<void> {
  const folder = vscode.Uri.file(destination);
  const wish = vscode.workspace.getConfiguration('deltascope').get<OpenAfterClone>('clone.openAfterClone', 'prompt');
  if (wish === 'never') return;
  if (wish !== 'prompt') {
    await openFolder(folder, wish === 'alwaysNewWindow');
    return;
  }

  const open = vscode.l10n.t('Open');
  const openNew = vscode.l10n.t('Open in new window');
  const add = vscode.l10n.t('Add to workspace');
  const hasFolder = (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
  const done =
    update === undefined
      ? vscode.l10n.t('Cloned {0}.', basename(destination))
      : vscode.l10n.t('Cloned {0}: {1} files checked out.', basename(destination), numberInWords(update.files));
  const buttons = hasFolder ? [open, openNew, add] : [open, openNew];
  const show = warnings.length > 0 ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const chosen = await show([done, ...warnings].join(' '), ...buttons);
  if (chosen === open) await openFolder(folder, false);
  if (chosen === openNew) await openFolder(folder, true);
  if (chosen === add) {
    vscode.workspace.updateWorkspaceFolders(vscode.workspace.workspaceFolders?.length ?? 0, 0, { uri: folder });
  }
}

async function openFolder(folder: vscode.Uri, forceNewWindow: boolean): Promise<void> {
  await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow });
}
