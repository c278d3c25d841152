const longest = 500;

/** What a server said (bytes as Latin-1), fit to be shown: UTF-8, on one line, without control characters, not too long. */
export function printable(words: string): string {
  const text = Buffer.from(words, 'latin1').toString();
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line.replace(/\.$/, '');
}
