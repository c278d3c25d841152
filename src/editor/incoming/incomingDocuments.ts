import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import { isNode, nullNode, type Node } from '../../engine/revlog/node';
import { mostText } from '../chains/textView';
import { revisionDocument } from '../chains/revisionDocument';
import { shownPath } from './incomingItems';
import type { IncomingNode } from './incomingNode';

export const incomingScheme = 'deltascope-incoming';

/** One side of a difference: a file's revision; the null node stands for no file. */
interface IncomingAddress {
  root: string;
  folder: string;
  /** Bytes as Latin-1. */
  path: string;
  node: Node;
}

/** Opens what a changeset does to a file, in the editor's own view of differences. */
export async function openIncomingDiff({ file, changeset, listing }: IncomingNode & { kind: 'file' }): Promise<void> {
  const { root, folder } = listing;
  const side = (node: Node) => documentOf({ root, folder, path: file.path, node }, shownPath(file));
  const title = `${basename(shownPath(file))} (${changeset.node.slice(0, 12)})`;
  await vscode.commands.executeCommand('vscode.diff', side(file.before), side(file.after), title, { preview: true });
}

function documentOf(address: IncomingAddress, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: incomingScheme, path: `/${path}`, query: JSON.stringify(address) });
}

/** Gives the files of incoming changesets as documents that cannot be written to. */
export class IncomingDocuments implements vscode.TextDocumentContentProvider {
  constructor(private readonly engine: Engine) {}

  provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const address = addressOf(uri);
    if (address.node === nullNode) return Promise.resolve('');
    return revisionDocument(
      (operation) => this.engine.readIncomingText({ ...address, limit: mostText }, operation),
      false,
      token,
    );
  }
}

/** What a document's address stands for. @throws when it is none of ours */
function addressOf(uri: vscode.Uri): IncomingAddress {
  const address: unknown = JSON.parse(uri.query);
  if (typeof address === 'object' && address !== null && 'node' in address && 'path' in address) {
    const { node } = address;
    if (typeof node === 'string' && isNode(node)) return address as IncomingAddress;
  }
  throw new TypeError(vscode.l10n.t('This address does not name a revision: {0}', uri.toString()));
}
