const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes for people: `18.2 MB`. */
export function byteText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
