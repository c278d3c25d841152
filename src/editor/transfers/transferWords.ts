import { l10n } from 'vscode';
import { amountInWords, bytesInWords, phaseInWords, secondsInWords } from '../words';
import type { Transfer, TransferPhase } from './transfer';

/** One line about a running transfer: `Cloning sample 42% · 18 MB/s · 1,024 files`. */
export function transferLine(transfer: Transfer): string {
  return [transfer.title, progressLine(transfer)].filter(Boolean).join(' ');
}

/** The same without its title: `42% · 18 MB/s · 1,024 files`, or `Connect`. */
export function progressLine(transfer: Transfer): string {
  const { phase, fraction } = transfer;
  if (phase === undefined) return '';
  if (phase.phase === 'connect') return phaseInWords('connect');
  return [
    fraction === undefined ? '' : `${Math.floor(fraction * 100)}%`,
    phase.phase === 'transfer' ? '' : phaseInWords(phase.phase),
    rateInWords(transfer),
    itemsInWords(phase),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** While the first file is coming, there are only bytes to tell of. */
function itemsInWords({ items, done, unit }: TransferPhase): string {
  if (items === undefined) return '';
  return items.done > 0 ? amountInWords(items.done, items.unit) : amountInWords(done, unit);
}

/** `18 MB/s`, or `900 files/s`. */
export function rateInWords({ phase, rate }: Transfer): string {
  if (phase === undefined || rate <= 0) return '';
  return phase.unit === 'bytes' ? `${bytesInWords(rate)}/s` : `${amountInWords(Math.round(rate), phase.unit)}/s`;
}

/** How far a phase is: `12 MB of 30 MB · 400 of 1,030 files · 1.2 s`. */
export function phaseLine({ done, total, unit, items, begun, ended }: TransferPhase): string {
  const parts = [progressInWords(done, total, unit)];
  if (items !== undefined) parts.push(progressInWords(items.done, items.total, items.unit));
  if (ended !== undefined) parts.push(secondsInWords((ended - begun) / 1000));
  return parts.join(' · ');
}

/** The terms: `stream v2, uncompressed`. */
export function termsLine(transfer: Transfer): string | undefined {
  if (transfer.negotiated === undefined) return undefined;
  const { format, compression } = transfer.negotiated;
  return `${format}, ${compression === 'none' ? l10n.t('uncompressed') : compression}`;
}

function progressInWords(done: number, total: number | undefined, unit: TransferPhase['unit']): string {
  if (total === undefined || total === done) return amountInWords(done, unit);
  return l10n.t('{0} of {1}', amountInWords(done, unit), amountInWords(total, unit));
}
