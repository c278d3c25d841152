import * as l10n from '@vscode/l10n';
import { protocolError } from '../io/errors';

/** Where a repository is that is reached by SSH. */
export interface SshTarget {
  host: string;
  username?: string;
  port?: number;
  /** Relative to the home of the user on the other side unless it begins with a slash. */
  path: string;
}

/** What may stand in a host or user name: nothing that a shell or `ssh` itself would take for something else. */
const hostPattern = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])$/;
const userPattern = /^[A-Za-z0-9_][A-Za-z0-9._+@-]*$/;

/**
 * Takes an address of SSH apart: `ssh://user@host:port/path`, the path relative to the user's home, absolute after a
 * second slash.
 *
 * @throws `protocol` for one without a path, and for hosts and users that begin with `-` or hold what is no part of a name:
 * they go to another program, which must not take them for an option
 */
export function parseSshTarget(url: URL): SshTarget {
  const host = url.hostname;
  const username = url.username === '' ? undefined : unquoted(url.username);
  const path = unquoted(url.pathname.slice(1));
  if (!hostPattern.test(host)) throw refused('host', host);
  if (username !== undefined && !userPattern.test(username)) throw refused('user', username);
  if (path === '' || /[\0\n\r]/.test(path)) {
    throw protocolError(l10n.t('The address has no path to a repository.'), {
      advice: l10n.t('An address looks like ssh://user@example.org/path.'),
    });
  }
  return { host: host.replace(/^\[|\]$/g, ''), username, port: url.port === '' ? undefined : Number(url.port), path };
}

/**
 * The arguments for `ssh`: what it connects to, and the command that serves the repository there.
 * @param hgThere the program that is Mercurial on the other side
 */
export function sshArguments({ host, username, port, path }: SshTarget, hgThere = 'hg'): string[] {
  const target = username === undefined ? host : `${username}@${host}`;
  // A path that begins with a dash would be an option to the program on the other side.
  const safe = path.startsWith('-') ? `./${path}` : path;
  const command = `${shellQuoted(hgThere)} -R ${shellQuoted(safe)} serve --stdio`;
  return [...(port === undefined ? [] : ['-p', String(port)]), '--', target, command];
}

function shellQuoted(text: string): string {
  return /^[A-Za-z0-9@%_+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

function refused(what: string, name: string): Error {
  return protocolError(
    l10n.t('The address names a {0} that cannot be one: {1}.', what, JSON.stringify(name.slice(0, 60))),
    {
      subject: what,
      advice: l10n.t('An address looks like ssh://user@example.org/path.'),
    },
  );
}

function unquoted(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
