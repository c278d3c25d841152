/** For options that may come more than once, each time with one value: what follows it is an argument. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
