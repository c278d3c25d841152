import * as l10n from '@vscode/l10n';
const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `950 B`, `4.2 kB`, `130 MB`. */
export function bytesInWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${decimalInWords(value, unit > 0 && Math.abs(value) < 9.95 ? 1 : 0)} ${units[unit]}`;
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,234,567` */
export function numberInWords(value: number): string {
  return grouped.format(value).replaceAll(',', l10n.t({ message: ',', comment: ['Stands between thousands'] }));
}

/** `12.30`, with so many digits after the mark. */
export function decimalInWords(value: number, digits: number): string {
  return value.toFixed(digits).replace('.', decimalMark());
}

/** What stands before decimals. */
export function decimalMark(): string {
  return l10n.t({ message: '.', comment: ['Stands before decimals'] });
}

/** `12.3 %` */
export function shareInWords(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  return `${decimalInWords(percent, percent > 0 && percent < 9.95 ? 1 : 0)} %`;
}
