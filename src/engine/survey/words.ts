/** Numbers in the words of findings. */

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `1 byte`, `950 bytes`, `4.2 kB`, `130 MB`: decimal units, two figures that count. */
export function bytesInWords(bytes: number): string {
  if (bytes === 1) return '1 byte';
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

/** `37 %`, `0.4 %`, `0 %`. */
export function percentInWords(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  return `${percent > 0 && percent < 0.95 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** `1 revision`, `1,234 revisions`. */
export function countInWords(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
