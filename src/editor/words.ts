import { l10n } from 'vscode';
import type { PhaseName, Unit } from '../engine/io/operation';

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes for people: `18.2 MB`. */
export function bytesInWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : decimalInWords(value, 1)} ${byteUnits[unit]}`;
}

/** A whole number for people: `1,234`. Not by the number itself, because the first time that takes long: it loads all locales. */
export function numberInWords(count: number): string {
  const mark = l10n.t({ message: ',', comment: ['Stands between thousands'] });
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, mark);
}

/** `12.3`, with so many digits after the mark. */
export function decimalInWords(value: number, digits: number): string {
  return value.toFixed(digits).replace('.', l10n.t({ message: '.', comment: ['Stands before decimals'] }));
}

/** An amount with its unit. */
export function amountInWords(amount: number, unit: Unit): string {
  const count = numberInWords(amount);
  switch (unit) {
    case 'bytes':
      return bytesInWords(amount);
    case 'files':
      return amount === 1 ? l10n.t('1 file') : l10n.t('{0} files', count);
    case 'revisions':
      return amount === 1 ? l10n.t('1 revision') : l10n.t('{0} revisions', count);
    case 'objects':
      return amount === 1 ? l10n.t('1 object') : l10n.t('{0} objects', count);
    case 'requests':
      return amount === 1 ? l10n.t('1 request') : l10n.t('{0} requests', count);
  }
}

/** The name of a phase for people. */
export function phaseInWords(phase: PhaseName): string {
  switch (phase) {
    case 'connect':
      return l10n.t('Connect');
    case 'discover':
      return l10n.t('Compare with the server');
    case 'transfer':
      return l10n.t('Transfer');
    case 'changelog':
      return l10n.t('Changesets');
    case 'manifests':
      return l10n.t('Manifests');
    case 'files':
      return l10n.t('Files');
    case 'store':
      return l10n.t('Store');
    case 'checkout':
      return l10n.t('Check out');
    case 'read':
      return l10n.t('Read');
    case 'analyse':
      return l10n.t('Analyse');
    case 'index':
      return l10n.t('Index');
    case 'resolve':
      return l10n.t('Resolve deltas');
    case 'unpack':
      return l10n.t('Unpack');
    case 'write':
      return l10n.t('Write');
    case 'verify':
      return l10n.t('Verify');
    case 'finish':
      return l10n.t('Finish');
  }
}

/** A duration for people: `0.8 s`, `2 min 5 s`. */
export function secondsInWords(seconds: number): string {
  if (seconds < 60) return `${decimalInWords(seconds, seconds < 10 ? 1 : 0)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
