import * as l10n from '@vscode/l10n';
import { protocolError, unsupportedError } from '../../engine/io/errors';
import { parseLocation } from '../../engine/wire/location';

/** What shows one address and means another, or breaks lines of a message: controls, marks of direction, invisible signs. */
const deceiving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const longestAddress = 2000;

/**
 * The address that a link such as `vscode://deltascope.deltascope/clone?url=https%3A%2F%2Fexample.org%2Fr` names.
 *
 * @param path and `query` of the link, the query still quoted
 * @throws `unsupported` for other links and for addresses that do not begin with `https://`, `http://` or `ssh://`, so
 * that no link names a file of this machine; `protocol` for addresses that are none, that carry a password, or whose host
 * another program would take for an option
 */
export function addressOfLink(path: string, query: string): string {
  if (path !== '/clone') {
    throw unsupportedError(l10n.t('Deltascope does not know this link.'), {
      advice: l10n.t('Links look like /clone?url=ADDRESS.'),
    });
  }
  const addresses = new URLSearchParams(query).getAll('url');
  const address = addresses.at(0)?.trim();
  if (address === undefined || address === '' || addresses.length > 1) {
    throw protocolError(l10n.t('The link has to name one address of a repository.'), {
      advice: l10n.t('Ask for a whole link.'),
    });
  }
  if (!/^(https?|ssh):\/\//i.test(address)) {
    throw unsupportedError(
      l10n.t('A link can name addresses that begin with https://, http:// or ssh://, and no others.'),
      { advice: l10n.t('Clone by the command, if you know the address.') },
    );
  }
  if (address.length > longestAddress || deceiving.test(address)) {
    throw protocolError(l10n.t('The address of this link has signs that no address has.'), {
      advice: l10n.t('Do not trust the link.'),
    });
  }
  const { address: plain, password } = parseLocation(address);
  if (password !== undefined) {
    throw protocolError(l10n.t('The address of this link carries a password.'), {
      advice: l10n.t('Do not trust the link.'),
    });
  }
  if (!/^[\p{L}\p{N}_[]/u.test(new URL(plain).hostname)) {
    throw protocolError(l10n.t('The address of this link has no host.'), { advice: l10n.t('Do not trust the link.') });
  }
  return address;
}
