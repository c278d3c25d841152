const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `950 B`, `4.2 kB`, `130 MB`. */
export function bytesInWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && Math.abs(value) < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,234,567` */
export function numberInWords(value: number): string {
  return grouped.format(value);
}

/** `12.3 %` */
export function shareInWords(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}
