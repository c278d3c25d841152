/** Undoes URL quoting, leaving what is no quotation as it is; bytes (as Latin-1) stay bytes. */
export function unquote(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_quotation, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/** What a side can do, as words and `name=value,value`, in the form that capabilities travel in: each quoted, and the whole. */
export function quoteCapabilities(lines: readonly string[]): string {
  const quoted = lines.map((line) =>
    line
      .split(/([=,])/)
      .map((word) => (/^[=,]$/.test(word) ? word : quote(word)))
      .join(''),
  );
  return quote(quoted.join('\n'));
}

/** URL-quotes bytes (as Latin-1), all but letters, digits and `_.-~/`. */
export function quote(text: string): string {
  return text.replace(
    /[^A-Za-z0-9_.~/-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
