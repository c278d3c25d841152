/**
 * The settings of a repository's `config` file (`git help config`, "Syntax"), by lower-case `section.key`; with a
 * subsection, `section.subsection.key`. The last of several values counts. Includes are not followed.
 */
export function parseGitConfig(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of joinContinued(text)) {
    const header = /^\s*\[\s*([-.A-Za-z0-9]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]\s*(.*)$/.exec(line);
    let rest = line;
    if (header !== null) {
      const subsection = header[2] as string | undefined;
      section = header[1].toLowerCase() + (subsection === undefined ? '' : `.${subsection.replace(/\\(.)/g, '$1')}`);
      rest = header[3];
    }
    const setting = /^\s*([A-Za-z][-A-Za-z0-9]*)\s*(?:=\s*(.*))?$/.exec(rest);
    if (setting !== null && section !== '') {
      const value = setting[2] as string | undefined;
      settings.set(`${section}.${setting[1].toLowerCase()}`, value === undefined ? 'true' : unquote(value));
    }
  }
  return settings;
}

function joinContinued(text: string): string[] {
  return text.replace(/\r\n/g, '\n').replace(/\\\n/g, '').split('\n');
}

/** Takes quotes and escapes out, and comments and blanks at the end off. */
function unquote(value: string): string {
  let result = '';
  let solid = 0;
  let quoted = false;
  for (let at = 0; at < value.length; at++) {
    const sign = value[at];
    if (sign === '"') quoted = !quoted;
    else if (sign === '\\' && at + 1 < value.length) {
      const next = value[++at];
      result += ({ n: '\n', t: '\t', b: '\b' } as Record<string, string | undefined>)[next] ?? next;
    } else if (!quoted && (sign === '#' || sign === ';')) break;
    else result += sign;
    if (quoted || !/\s/.test(sign)) solid = result.length;
  }
  return result.slice(0, solid);
}

/** A size such as `512m` in bytes: k, m and g count by 1024. Undefined when it is out of form. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+)([kmg]?)b?$/i.exec(text.trim());
  if (match === null) return undefined;
  const size =
    Number(match[1]) * { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[match[2].toLowerCase() as '' | 'k' | 'm' | 'g'];
  return Number.isSafeInteger(size) ? size : undefined;
}

/** Whether a setting is on, as the words and numbers for it go. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && !['', 'false', 'no', 'off', '0'].includes(value.toLowerCase());
}
