import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import { asDestinationError } from '../../engine/io/errors';
import { packAsCsv, packAsJson } from '../../engine/pack/packLines';
import { chainsAsCsv, chainsAsJson } from '../../engine/revlog/chainLines';
import type { PackColumns } from '../../engine/pack/packColumns';
import type { ChainReading } from '../../engine/revlog/readChainColumns';
import { numberInWords } from '../words';

/** The rows to export. */
export type ReadColumns = { name: string; reading: ChainReading } | { columns: PackColumns };

const flushAt = 64 * 1024;

/**
 * *Export chain statistics*: asks where to, and writes the rows that `deltascope chains` prints, as CSV or JSON by the
 * name of the file. What is at the destination is replaced when all is written; a cancelled export leaves nothing.
 *
 * @throws `destination` when it cannot be written
 */
export async function exportChains(read: ReadColumns): Promise<void> {
  const title = 'reading' in read ? read.name : basename(read.columns.pack);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export the chain statistics of {0}', title),
    saveLabel: vscode.l10n.t('Export'),
    filters: { CSV: ['csv'], JSON: ['json'] },
    defaultUri: suggestion(`${title.replace(/[\\/:*?"<>|]+/g, '-')}.csv`),
  });
  if (target === undefined) return;
  const path = target.fsPath;
  const isDone = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      cancellable: true,
      title: vscode.l10n.t('Exporting to {0}', basename(path)),
    },
    (progress, token) => writeRows(read, path, token, (message) => progress.report({ message })),
  );
  if (!isDone) return;
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('Exported {0}.', path), open);
  if (chosen === open) await vscode.commands.executeCommand('vscode.open', target);
}

/** Tells whether it came to its end. */
async function writeRows(
  read: ReadColumns,
  path: string,
  token: vscode.CancellationToken,
  say: (message: string) => void,
): Promise<boolean> {
  const abort = new AbortController();
  const subscription = token.onCancellationRequested(() => abort.abort());
  const unfinished = `${path}.unfinished`;
  const lines = linesOf(read, /\.json$/i.test(path));
  const total = 'reading' in read ? read.reading.columns.count : read.columns.count;
  const counted = (rows: number) => say(`${numberInWords(rows)} / ${numberInWords(total)}`);
  try {
    await pipeline(Readable.from(inBlocks(lines, counted)), createWriteStream(unfinished), { signal: abort.signal });
    await rename(unfinished, path);
    return true;
  } catch (error) {
    await rm(unfinished, { force: true });
    if (abort.signal.aborted) return false;
    throw asDestinationError(error, path);
  } finally {
    subscription.dispose();
  }
}

function linesOf(read: ReadColumns, asJson: boolean): Iterable<string> {
  if ('reading' in read) return asJson ? chainsAsJson(read.reading.columns) : chainsAsCsv(read.reading.columns);
  return asJson ? packAsJson(read.columns) : packAsCsv(read.columns);
}

/** Lines in blocks, with a turn of the event loop between them: millions of lines would hold it for seconds. */
async function* inBlocks(lines: Iterable<string>, counted: (rows: number) => void): AsyncGenerator<string> {
  let block = '';
  let rows = 0;
  for (const line of lines) {
    block += line;
    rows++;
    if (block.length < flushAt) continue;
    yield block;
    block = '';
    counted(rows);
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield block;
}

function suggestion(name: string): vscode.Uri | undefined {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  return folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder.uri, name);
}
