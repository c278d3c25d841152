import * as l10n from '@vscode/l10n';
import { readFileSync } from 'node:fs';
import { destinationError } from '../io/errors';
import { expandPath } from '../store/hgrc';
import { readUserSettings } from '../store/userHgrc';
import { hgrcCredentials } from '../wire/hgrcCredentials';
import type { WireSettings } from '../wire/wireSettings';

/**
 * How to talk to servers as the user's own `hgrc` says: with the credentials of `[auth]`, before anybody is asked, and
 * with the certificates of `web.cacerts`.
 *
 * @throws `destination` when the certificates cannot be read, `corrupt` for a file that is no configuration
 */
export function userWireSettings(settings: WireSettings): WireSettings {
  const hgrc = readUserSettings();
  const cacerts = hgrc.get('web')?.get('cacerts');
  return {
    ...settings,
    credentials: hgrcCredentials(hgrc, settings.credentials),
    certificateAuthorities: settings.certificateAuthorities ?? (cacerts ? readCertificates(cacerts) : undefined),
  };
}

function readCertificates(written: string): string {
  const path = expandPath(written);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw destinationError(l10n.t('The certificates of web.cacerts cannot be read: {0}.', path), {
      subject: path,
      advice: l10n.t('Correct the path in your hgrc, or remove it there.'),
      cause: error,
    });
  }
}
