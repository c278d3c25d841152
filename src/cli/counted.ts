/** A number of things whose plural ends in s: `1 file`, `2 files`. */
export function counted(count: number, things: string): string {
  return `${count} ${count === 1 ? things.replace(/s$/, '') : things}`;
}
