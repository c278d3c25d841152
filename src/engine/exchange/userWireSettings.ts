import { expandPath } from '../store/hgrc';
import { readUserSettings } from '../store/userHgrc';
import { hgrcCredentials } from '../wire/hgrcCredentials';
import { hostSecurity, readCertificates } from '../wire/hostSecurity';
import type { WireSettings } from '../wire/wireSettings';

/**
 * How to talk to servers as the user's own `hgrc` says: with the credentials and certificates of `[auth]`, before anybody is
 * asked, trusting those of `web.cacerts` and what `[hostsecurity]` says of single servers, and with the programs `ui.ssh`
 * and `ui.remotecmd`.
 *
 * @throws `destination` when the certificates cannot be read, `corrupt` for a file that is no configuration
 */
export function userWireSettings(settings: WireSettings): WireSettings {
  const hgrc = readUserSettings();
  const cacerts = hgrc.get('web')?.get('cacerts');
  const [ssh, remoteCommand] = ['ssh', 'remotecmd'].map((item) => hgrc.get('ui')?.get(item));
  return {
    ...settings,
    credentials: hgrcCredentials(hgrc, settings.credentials),
    certificateAuthorities:
      settings.certificateAuthorities ?? (cacerts ? readCertificates(cacerts, 'web.cacerts') : undefined),
    hostSecurity: (url) => hostSecurity(hgrc, url),
    sshCommand: settings.sshCommand ?? (ssh ? shellWords(ssh).map(expandPath) : undefined),
    ...(remoteCommand ? { remoteCommand } : {}),
  };
}

/** The words of a command line, of which those with spaces in them are quoted. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}
