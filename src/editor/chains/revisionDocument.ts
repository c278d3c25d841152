import * as vscode from 'vscode';
import { EngineError } from '../../engine/io/errors';
import type { Operation } from '../../engine/io/operation';
import type { RevisionText } from '../../engine/revlog/textTask';
import { bytesInWords } from '../words';
import { viewText } from './textView';

/**
 * A revision as a document: its text, cut where it is large, a dump where it is none, and the reason where it cannot be had.
 * @param isText it is known to be one, whatever is in it
 */
export async function revisionDocument(
  read: (operation: Operation) => Promise<RevisionText>,
  isText: boolean,
  token: vscode.CancellationToken,
): Promise<string> {
  const abort = new AbortController();
  const subscription = token.onCancellationRequested(() => abort.abort());
  try {
    const { bytes, size } = await read({ signal: abort.signal, progress: () => undefined, log: () => undefined });
    const view = viewText(bytes, size, isText);
    const head = view.isHex
      ? `${vscode.l10n.t('This is no text. Its bytes, {0} in all:', bytesInWords(size))}\n\n`
      : '';
    const rest = view.shown < size ? `\n${cutInWords(view.shown, size)}\n` : '';
    return `${head}${view.text}${rest}`;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const advice = error instanceof EngineError ? (error.advice ?? '') : '';
    return [vscode.l10n.t('The text cannot be shown.'), message, advice].join('\n');
  } finally {
    subscription.dispose();
  }
}

function cutInWords(shown: number, size: number): string {
  return vscode.l10n.t('… The first {0} of {1} are shown.', bytesInWords(shown), bytesInWords(size));
}
