/**
 * The folder name that a clone of `source` gets when nobody says another: the last part of its path; undefined where
 * there is none. Never a name that leads elsewhere.
 */
export function destinationName(source: string): string | undefined {
  const path = source
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const last = path.split(/[/\\]/).filter(Boolean).pop();
  if (last === undefined) return undefined;
  const name = decode(last).replace(/[/\\:*?"<>|\0]/g, '_');
  return name === '' || name === '.' || name === '..' ? 'repository' : name;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
