import * as l10n from '@vscode/l10n';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protocolError, unsupportedError } from '../io/errors';

/** A place on this machine that an address stands for. */
export interface LocalPath {
  /** Absolute; a folder or a file, which is there. */
  path: string;
  /** What stands after `#`: a branch. */
  fragment?: string;
}

/**
 * The place on this machine that an address stands for: a path, with or without `file:` or `bundle:` before it, and with
 * `#branch` after it unless that belongs to the name. `undefined` for addresses of servers and for paths to nothing.
 *
 * @throws `unsupported` for `file:` with a host, `protocol` where such an address leads to nothing
 * @see `hg help urls`
 */
export function findLocalPath(source: string): LocalPath | undefined {
  const trimmed = source.trim();
  const scheme = /^(file|bundle):/i.exec(trimmed)?.[0];
  if (scheme === undefined)
    return /^[a-z][a-z0-9+.-]+:/i.test(trimmed) ? undefined : findWithFragment(trimmed, inWords);
  const found = findWithFragment(trimmed.slice(scheme.length), (rest) =>
    rest.startsWith('//') ? pathOfUrl(`file:${rest}`) : rest,
  );
  if (found !== undefined) return found;
  throw protocolError(l10n.t('There is nothing at {0}.', trimmed), {
    subject: trimmed,
    advice: l10n.t('Check that the path is that of a repository or a bundle file.'),
  });
}

function findWithFragment(written: string, toPath: (written: string) => string): LocalPath | undefined {
  if (written === '') return undefined;
  const whole = resolve(toPath(written));
  if (isThere(whole)) return { path: whole };
  const hash = written.lastIndexOf('#');
  if (hash <= 0) return undefined;
  const path = resolve(toPath(written.slice(0, hash)));
  return isThere(path) ? { path, fragment: written.slice(hash + 1) || undefined } : undefined;
}

function inWords(path: string): string {
  return path.replace(/^~(?=[/\\]|$)/, homedir);
}

function pathOfUrl(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url.replace(/#/g, '%23'));
  } catch {
    throw protocolError(l10n.t('{0} is no address of a file.', url), { subject: url });
  }
  if (parsed.hostname !== '' && parsed.hostname !== 'localhost') {
    throw unsupportedError(l10n.t('{0} names a file on another machine, {1}.', url, parsed.hostname), {
      subject: 'file:',
      advice: l10n.t('Use an address that begins with https:// or ssh://.'),
    });
  }
  parsed.hostname = '';
  return fileURLToPath(parsed);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
