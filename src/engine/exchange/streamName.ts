/** What a stream of that version is called. */
export function formatName(version: 1 | 2): string {
  return `stream v${version}`;
}
