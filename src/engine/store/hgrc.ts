import * as l10n from '@vscode/l10n';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { corruptError } from '../io/errors';

/** Settings: sections of items. Later ones win. */
export type Hgrc = Map<string, Map<string, string>>;

/** Includes that include each other end here. */
const deepestInclude = 16;

/**
 * Reads a configuration file of Mercurial with everything it includes; empty when the file is not there.
 *
 * @throws `corrupt` with file and line for what is neither section, item, comment nor directive
 * @see `hg help config.syntax`
 */
export function readHgrc(path: string): Hgrc {
  const hgrc: Hgrc = new Map();
  readInto(hgrc, path, 0);
  return hgrc;
}

/** Parses the text of a configuration file. `include` is called for `%include` with the path as it was written. */
export function parseHgrc(text: string, subject = 'hgrc', include: (path: string) => Hgrc = () => new Map()): Hgrc {
  const hgrc: Hgrc = new Map();
  parseInto(hgrc, text, subject, (path) => merge(hgrc, include(path)));
  return hgrc;
}

/** What Mercurial takes for yes and no; undefined for anything else. */
export function parseBoolean(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (/^(1|yes|true|on|always)$/i.test(value)) return true;
  return /^(0|no|false|off|never)$/i.test(value) ? false : undefined;
}

function readInto(hgrc: Hgrc, path: string, depth: number): void {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String((error as NodeJS.ErrnoException).code))) return;
    throw error;
  }
  parseInto(hgrc, text, path, (written) => {
    if (depth === deepestInclude)
      throw corruptError(l10n.t('{0} includes files that include each other.', path), { subject: path });
    readInto(hgrc, resolve(dirname(path), expandPath(written)), depth + 1);
  });
}

function parseInto(hgrc: Hgrc, text: string, subject: string, include: (path: string) => void): void {
  let section = '';
  let item: string | undefined;
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^[#;]/.test(line)) continue;
    const continued = /^\s+(\S.*)$/.exec(line);
    if (continued !== null && item !== undefined) {
      itemsOf(hgrc, section).set(item, `${itemsOf(hgrc, section).get(item) ?? ''}\n${continued[1].trimEnd()}`);
      continue;
    }
    item = undefined;
    if (/^\s*$/.test(line)) continue;
    const heading = /^\[([^[]+)\]/.exec(line);
    const directive = /^%(include|unset)\s+(\S.*?)\s*$/.exec(line);
    const setting = /^([^=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (heading !== null) section = heading[1];
    else if (directive?.[1] === 'include') include(directive[2]);
    else if (directive !== null) itemsOf(hgrc, section).delete(directive[2]);
    else if (setting !== null) itemsOf(hgrc, section).set((item = setting[1]), setting[2]);
    else
      throw corruptError(
        l10n.t('Line {0} of {1} is no setting: {2}.', index + 1, subject, JSON.stringify(line.slice(0, 80))),
        {
          subject,
        },
      );
  }
}

function itemsOf(hgrc: Hgrc, section: string): Map<string, string> {
  let items = hgrc.get(section);
  if (items === undefined) hgrc.set(section, (items = new Map<string, string>()));
  return items;
}

function merge(hgrc: Hgrc, other: Hgrc): void {
  for (const [section, items] of other) for (const [item, value] of items) itemsOf(hgrc, section).set(item, value);
}

/** With `~` and variables of the environment put in. */
export function expandPath(path: string): string {
  return path
    .replace(/^~(?=[/\\]|$)/, homedir)
    .replace(
      /\$\{(\w+)\}|\$(\w+)/g,
      (all, braced: string | undefined, bare: string) => process.env[braced ?? bare] ?? all,
    );
}
