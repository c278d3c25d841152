import * as l10n from '@vscode/l10n';
import { protocolError, unsupportedError } from '../io/errors';
import { printable } from '../io/printable';
import { findLocalPath } from './localPath';
import { parseSshTarget, type SshTarget } from './sshLocation';

/** An address taken apart. */
export interface Location {
  /** Which kind of peer it takes. */
  scheme: 'http' | 'https' | 'ssh' | 'file';
  /** The address without credentials, fragment and trailing slash: what requests go to; an absolute path for `file`. */
  address: string;
  /** As people know it and `hgrc` keeps it: as given, but without password and fragment. */
  shown: string;
  username?: string;
  password?: string;
  /** What stands after `#`: a branch. */
  fragment?: string;
  /** What `ssh` is told, where it takes that. */
  ssh?: SshTarget;
}

/**
 * Takes an address apart: `https://user:password@host:port/prefix/#branch`, `ssh://user@host:port/path#branch`, or the
 * path of a repository or a bundle file that is there.
 *
 * @throws `protocol` when it is no address, or one with a query, `unsupported` for other schemes.
 */
export function parseLocation(source: string): Location {
  const local = findLocalPath(source);
  if (local !== undefined) return { scheme: 'file', address: local.path, shown: local.path, fragment: local.fragment };
  const url = parseUrl(source);
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'http' && scheme !== 'https' && scheme !== 'ssh') {
    throw unsupportedError(l10n.t('Addresses that begin with {0} are not known.', url.protocol), {
      subject: url.protocol,
      advice: l10n.t('Use an address that begins with https://, http:// or ssh://.'),
    });
  }
  if (url.search !== '') {
    throw protocolError(
      l10n.t('The address of a repository has no query, and this one has {0}.', JSON.stringify(url.search)),
      {
        subject: url.origin,
        advice: l10n.t('Leave away what begins with the question mark.'),
      },
    );
  }
  // Refused here, before anything else looks at it.
  const ssh = scheme === 'ssh' ? parseSshTarget(url) : undefined;
  const username = decode(url.username);
  const password = decode(url.password);
  const fragment = decode(url.hash.slice(1));
  url.hash = '';
  url.password = '';
  const shown = url.href;
  url.username = '';
  return { scheme, address: url.href.replace(/\/+$/, ''), shown, username, password, fragment, ssh };
}

function parseUrl(source: string): URL {
  try {
    return new URL(source.trim());
  } catch {
    // With an @, a password may be in it.
    const isPlain = !source.includes('@');
    const what = isPlain
      ? l10n.t('{0} is not the address of a repository.', printable(source.trim().slice(0, 200)))
      : l10n.t('This is not the address of a repository.');
    throw protocolError(what, {
      advice: l10n.t(
        'An address looks like https://example.org/repository; a path has to be that of something that is there.',
      ),
    });
  }
}

/** Undoes the quoting of a part of an address; what is no quotation stays as it is. `undefined` for an empty part. */
function decode(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
