import * as vscode from 'vscode';
import type { ChainReports } from '../reports/chainReport';
import { subjectOfFile } from './subject';

/** Opens revlog indexes and Git packs as chain reports: indexes outside a store only where a person chooses so. */
export function registerChainEditors(reports: ChainReports): vscode.Disposable[] {
  const editor = new ChainEditor(reports);
  return ['deltascope.revlog', 'deltascope.revlogElsewhere', 'deltascope.pack'].map((viewType) =>
    vscode.window.registerCustomEditorProvider(viewType, editor),
  );
}

class ChainEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(private readonly reports: ChainReports) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    this.reports.showIn(panel, subjectOfFile(uri.fsPath));
  }
}
