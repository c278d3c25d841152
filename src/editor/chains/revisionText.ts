import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { RevlogSource } from '../../engine/revlog/readChainColumns';
import type { NamedSource } from '../../engine/survey/revlogSource';
import { revisionDocument } from './revisionDocument';
import { mostText } from './textView';

export const revisionScheme = 'deltascope-revision';

interface RevisionAddress extends RevlogSource {
  rev: number;
  /** Changelogs and manifests are texts, whatever bytes are in them. */
  isText: boolean;
}

/** Opens the text of a revision, read-only. */
export async function openRevisionText(source: NamedSource, rev: number): Promise<void> {
  const { path, chunkPath, isSparse, name } = source;
  const isText = ['00changelog.i', '00manifest.i'].includes(basename(path));
  const address: RevisionAddress = { path, chunkPath, isSparse, rev, isText };
  const uri = vscode.Uri.from({
    scheme: revisionScheme,
    path: `/${documentName(name, rev)}`,
    query: JSON.stringify(address),
  });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

/** `src/main@12.ts` for revision 12 of `src/main.ts`: so the editor knows the language. */
function documentName(name: string, rev: number): string {
  return name.replace(/(\.[^./]+)?$/, (extension) => `@${rev}${extension}`);
}

/** Gives the texts of revisions as documents that cannot be written to. Large ones are cut, what is no text is dumped. */
export class RevisionTexts implements vscode.TextDocumentContentProvider {
  constructor(private readonly engine: Engine) {}

  provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const address = addressOf(uri);
    return revisionDocument(
      (operation) => this.engine.readRevisionText(address, address.rev, mostText, operation),
      address.isText,
      token,
    );
  }
}

/** What a document's address stands for. @throws when it is none of ours */
function addressOf(uri: vscode.Uri): RevisionAddress {
  const address: unknown = JSON.parse(uri.query);
  if (typeof address === 'object' && address !== null && 'path' in address && 'rev' in address) {
    const { path, rev } = address;
    if (typeof path === 'string' && path.endsWith('.i') && Number.isInteger(rev)) return address as RevisionAddress;
  }
  throw new TypeError(vscode.l10n.t('This address does not name a revision: {0}', uri.toString()));
}
