import { protocolError, unsupportedError } from '../io/errors';

/** An address taken apart. */
export interface Location {
  /** The address without credentials, fragment and trailing slash: what requests go to. */
  address: string;
  /** As people know it and `hgrc` keeps it: as given, but without password and fragment. */
  shown: string;
  username?: string;
  password?: string;
  /** What stands after `#`: a branch. */
  fragment?: string;
}

/**
 * Takes an HTTP address apart: `https://user:password@host:port/prefix/#branch`.
 * @throws `protocol` when it is no address, `unsupported` for other schemes.
 */
export function parseLocation(source: string): Location {
  let url: URL;
  try {
    url = new URL(source.trim());
  } catch {
    throw protocolError(`${JSON.stringify(source)} is not the address of a repository.`, {
      advice: 'An address looks like https://example.org/repository.',
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw unsupportedError(`Addresses that begin with ${url.protocol} cannot be cloned as a stream.`, {
      subject: url.protocol,
      advice: 'Use an address that begins with https:// or http://.',
    });
  }
  const username = decodeURIComponent(url.username) || undefined;
  const password = decodeURIComponent(url.password) || undefined;
  const fragment = url.hash === '' ? undefined : decodeURIComponent(url.hash.slice(1));
  url.hash = '';
  url.password = '';
  const shown = url.href;
  url.username = '';
  return { address: url.href.replace(/\/+$/, ''), shown, username, password, fragment };
}
