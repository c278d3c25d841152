import * as vscode from 'vscode';
import type { ChainReports } from '../reports/chainReport';
import { subjectOfFile } from './subject';

/** Opens revlog indexes as chain reports: those in a store at once, others where a person chooses so. */
export function registerRevlogEditor(reports: ChainReports): vscode.Disposable[] {
  const editor = new RevlogEditor(reports);
  return ['deltascope.revlog', 'deltascope.revlogElsewhere'].map((viewType) =>
    vscode.window.registerCustomEditorProvider(viewType, editor),
  );
}

class RevlogEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(private readonly reports: ChainReports) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    this.reports.showIn(panel, subjectOfFile(uri.fsPath));
  }
}
