import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { expandPath, readHgrc, type Hgrc } from './hgrc';

/**
 * The user's own settings, with those of a repository over them. `HGRCPATH` in the environment names other files, or
 * folders of `*.rc` files, and none where it is empty, as it does for Mercurial.
 *
 * @param hgFolder the repository's `.hg`
 * @throws `corrupt` for a file that is no configuration
 * @see `hg help config.files`
 */
export function readSettings(hgFolder: string): Hgrc {
  return readTogether([...userFiles(), join(hgFolder, 'hgrc')]);
}

/** Reads the user's own settings alone: for what there is no repository for yet. @throws as {@link readSettings} */
export function readUserSettings(): Hgrc {
  return readTogether(userFiles());
}

/**
 * The sections `[paths]` of the user's own settings and of a repository's: what is relative begins at the folder of the
 * file, or at the root of the repository.
 *
 * @throws as {@link readSettings}
 * @see `hg help config.paths`
 */
export function readPaths(hgFolder: string): Map<string, string> {
  const paths = new Map<string, string>();
  const files = userFiles().map((path): [string, string] => [path, dirname(path)]);
  for (const [path, base] of [...files, [join(hgFolder, 'hgrc'), dirname(hgFolder)]]) {
    for (const [name, written] of readHgrc(path).get('paths') ?? []) paths.set(name, wholePath(name, written, base));
  }
  return paths;
}

function wholePath(name: string, written: string, base: string): string {
  const isAboutPath = name.includes(':') || written === '';
  const expanded = isAboutPath ? written : expandPath(written);
  const isWhole = isAboutPath || isAbsolute(expanded) || /^[a-z][a-z0-9+.-]*:/i.test(expanded);
  return isWhole ? expanded : join(base, expanded);
}

function readTogether(paths: readonly string[]): Hgrc {
  const settings: Hgrc = new Map();
  for (const path of paths) {
    for (const [section, items] of readHgrc(path)) {
      const known = settings.get(section) ?? new Map<string, string>();
      for (const [name, value] of items) known.set(name, value);
      settings.set(section, known);
    }
  }
  return settings;
}

function userFiles(): string[] {
  const named = process.env.HGRCPATH;
  if (named !== undefined)
    return named
      .split(delimiter)
      .filter((path) => path !== '')
      .flatMap(filesAt);
  const home = homedir();
  if (process.platform === 'win32') return [join(home, 'mercurial.ini'), join(home, '.hgrc')];
  const config = process.env.XDG_CONFIG_HOME ?? join(home, '.config');
  return [join(config, 'hg', 'hgrc'), join(home, '.hgrc')];
}

function filesAt(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path)
    .filter((name) => name.endsWith('.rc'))
    .sort()
    .map((name) => join(path, name));
}
