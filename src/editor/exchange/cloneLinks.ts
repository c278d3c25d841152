import * as vscode from 'vscode';
import { errorInWords } from '../errorInWords';
import { addressOfLink } from './cloneLink';

/** Handles links that clone: shows what would be cloned, and does nothing before the person has agreed. */
export class CloneLinks implements vscode.UriHandler {
  constructor(private readonly clone: (address: string) => Promise<void>) {}

  async handleUri(link: vscode.Uri): Promise<void> {
    let address: string;
    try {
      address = addressOfLink(link.path, link.query);
    } catch (error) {
      void vscode.window.showErrorMessage(errorInWords(error));
      return;
    }
    const clone = vscode.l10n.t('Choose a folder and clone');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('A link asks Deltascope to clone {0}', address),
      { modal: true, detail: vscode.l10n.t('Clone it only if you trust whoever gave you the link, and this address.') },
      clone,
    );
    if (answer === clone) await this.clone(address);
  }
}
