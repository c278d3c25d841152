import * as l10n from '@vscode/l10n';

/** Numbers in the words of findings. */

const units = ['', 'kB', 'MB', 'GB', 'TB'];

/** `1 byte`, `950 bytes`, `4.2 kB`, `130 MB`: decimal units, two figures that count. */
export function bytesInWords(bytes: number): string {
  if (bytes === 1) return l10n.t('1 byte');
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  if (unit === 0) return l10n.t('{0} bytes', value.toFixed(0));
  return `${decimalInWords(value, value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

/** `37 %`, `0.4 %`, `0 %`. */
export function percentInWords(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  return `${decimalInWords(percent, percent > 0 && percent < 0.95 ? 1 : 0)} %`;
}

/** `12.3`, with so many digits after the mark. */
export function decimalInWords(value: number, digits: number): string {
  return value.toFixed(digits).replace('.', l10n.t({ message: '.', comment: ['Stands before decimals'] }));
}

/** `1,234` */
export function numberInWords(value: number): string {
  return value.toLocaleString('en-US').replaceAll(',', l10n.t({ message: ',', comment: ['Stands between thousands'] }));
}

export function deltasInWords(count: number): string {
  return count === 1 ? l10n.t('1 delta') : l10n.t('{0} deltas', numberInWords(count));
}

export function objectsInWords(count: number): string {
  return count === 1 ? l10n.t('1 object') : l10n.t('{0} objects', numberInWords(count));
}

export function revisionsInWords(count: number): string {
  return count === 1 ? l10n.t('1 revision') : l10n.t('{0} revisions', numberInWords(count));
}

/** `1 fault`, `1,234 faults`: for the command line, which speaks English. */
export function countInWords(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
