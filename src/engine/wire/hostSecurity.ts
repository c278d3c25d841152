import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TLSSocket, type SecureVersion } from 'node:tls';
import { destinationError, networkError, unsupportedError } from '../io/errors';
import { expandPath, type Hgrc } from '../store/hgrc';
import { matchLength, sectionEntries } from './hgrcEntries';

/** How the connection to one server is to be secured. */
export interface HostSecurity {
  /** Certificates to trust, in PEM, instead of all others. */
  ca?: string;
  /** What we show the server of ourselves, in PEM. */
  cert?: string;
  key?: string;
  minVersion?: SecureVersion;
  /** A list as OpenSSL takes it. */
  ciphers?: string;
  /** The server's certificate has to have one of these, and nothing else then. */
  fingerprints?: readonly Fingerprint[];
}

/** The hash of a certificate in DER. */
export interface Fingerprint {
  algorithm: 'sha1' | 'sha256' | 'sha512';
  /** In small hex digits. */
  hash: string;
}

const versions: Record<string, SecureVersion | undefined> = {
  'tls1.0': 'TLSv1',
  'tls1.1': 'TLSv1.1',
  'tls1.2': 'TLSv1.2',
};

/**
 * What the sections `[hostsecurity]` and `[hostfingerprints]` say of a server, and which certificate `[auth]` has for it.
 *
 * @throws `destination` for a file that cannot be read, `unsupported` for a fingerprint or a version that is none
 * @see `hg help config.hostsecurity`, `hg help config.auth`
 */
export function hostSecurity(settings: Hgrc, { hostname, href }: URL): HostSecurity {
  const host = hostname.replace(/^\[|\]$/g, '');
  const section = settings.get('hostsecurity');
  const ofHost = (item: string) => section?.get(`${host}:${item}`);
  const fingerprints = [
    ...listed(ofHost('fingerprints')),
    ...listed(settings.get('hostfingerprints')?.get(host)).map((hash) => `sha1:${hash}`),
  ].map(parseFingerprint);
  const verified = fingerprints.length === 0 ? ofHost('verifycertsfile') : undefined;
  const version = ofHost('minimumprotocol') ?? section?.get('minimumprotocol');
  const ciphers = ofHost('ciphers') ?? section?.get('ciphers');
  const own = certificateFor(settings, href);
  return {
    ...(fingerprints.length === 0 ? {} : { fingerprints }),
    ...(verified === undefined ? {} : { ca: readCertificates(verified, `hostsecurity.${host}:verifycertsfile`) }),
    ...(version === undefined ? {} : { minVersion: parseVersion(version) }),
    ...(ciphers === undefined ? {} : { ciphers }),
    ...own,
  };
}

/** The text of a file of certificates that a setting names. @throws `destination` */
export function readCertificates(written: string, setting: string): string {
  const path = expandPath(written);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw destinationError(l10n.t('The certificates of {0} cannot be read: {1}.', setting, path), {
      subject: path,
      advice: l10n.t('Correct the path in your hgrc, or remove it there.'),
      cause: error,
    });
  }
}

/**
 * Resolves once a connection is there whose certificate has one of the fingerprints: nothing may be sent before.
 * @throws `network` when it has none of them
 */
export async function demandFingerprint(
  socket: unknown,
  wanted: readonly Fingerprint[],
  address: string,
): Promise<void> {
  if (!(socket instanceof TLSSocket)) throw strange(address, '');
  const certificate = () => socket.getPeerCertificate().raw as Buffer | undefined;
  if (certificate() === undefined) await new Promise((resolve) => socket.once('secureConnect', resolve));
  const shown = certificate() ?? Buffer.alloc(0);
  const hashOf = (algorithm: string) => createHash(algorithm).update(shown).digest('hex');
  if (!wanted.some(({ algorithm, hash }) => hashOf(algorithm) === hash)) throw strange(address, hashOf('sha256'));
}

function strange(address: string, hash: string): Error {
  return networkError(
    l10n.t('The certificate of {0} has none of the fingerprints in your hgrc: it has sha256:{1}.', address, hash),
    {
      subject: address,
      advice: l10n.t('Correct the section hostsecurity if its owner has a new one. Otherwise do not connect.'),
    },
  );
}

/** What a setting lists, with commas or without. */
const listed = (setting = ''): string[] => setting.split(/[\s,]+/).filter(Boolean);

function parseFingerprint(written: string): Fingerprint {
  const found = /^(sha1|sha256|sha512):([0-9a-f:]+)$/i.exec(written);
  if (found === null) {
    throw unsupportedError(l10n.t('{0} in the section hostsecurity is no fingerprint.', JSON.stringify(written)), {
      subject: 'hostsecurity',
      advice: l10n.t('It has to begin with sha1:, sha256: or sha512:.'),
    });
  }
  return {
    algorithm: found[1].toLowerCase() as Fingerprint['algorithm'],
    hash: found[2].replaceAll(':', '').toLowerCase(),
  };
}

function parseVersion(written: string): SecureVersion {
  const version = versions[written];
  if (version !== undefined) return version;
  throw unsupportedError(l10n.t('{0} in the section hostsecurity is no version of TLS.', JSON.stringify(written)), {
    subject: 'minimumprotocol',
    advice: l10n.t('Choose one of {0}.', Object.keys(versions).join(', ')),
  });
}

/** The certificate, and its key where that is a file of its own, of the entry of `[auth]` that fits the address best. */
function certificateFor(settings: Hgrc, href: string): Pick<HostSecurity, 'cert' | 'key'> {
  let best: { length: number; cert: string; key?: string } | undefined;
  for (const entry of sectionEntries(settings, 'auth')) {
    const [prefix, cert] = [entry.get('prefix'), entry.get('cert')];
    if (prefix === undefined || cert === undefined) continue;
    const length = matchLength(href, prefix, entry.get('schemes') ?? 'https');
    if (length > (best?.length ?? 0)) best = { length, cert, key: entry.get('key') };
  }
  if (best === undefined) return {};
  const cert = readCertificates(best.cert, 'auth');
  return { cert, key: best.key === undefined ? cert : readCertificates(best.key, 'auth') };
}
