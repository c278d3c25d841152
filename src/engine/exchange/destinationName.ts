/**
 * The folder name that a clone of `source` gets when nobody says another: the last part of its path, or the host where
 * there is none. Never a name that leads elsewhere.
 */
export function destinationName(source: string): string {
  const withoutFragment = source.trim().replace(/[?#].*$/, '');
  const path = withoutFragment.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const last = path.split(/[/\\]/).filter(Boolean).pop() ?? hostOf(withoutFragment);
  const name = decode(last).replace(/[/\\:*?"<>|\0]/g, '_');
  return name === '' || name === '.' || name === '..' ? 'repository' : name;
}

function hostOf(source: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/:]*)/i.exec(source)?.[1] ?? '';
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
