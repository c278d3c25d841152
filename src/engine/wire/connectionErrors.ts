import * as l10n from '@vscode/l10n';
import { EngineError, networkError } from '../io/errors';

const network = () => l10n.t('Check your network connection, VPN or proxy.');
const trust = () => l10n.t('Add the authority to the certificates of your system if you trust it.');
const notHttp = () => l10n.t('Check the address and the port, and whether it should begin with https://.');
const notTls = () => l10n.t('Check the port, and whether the address should begin with http://.');
const oldTls = () => l10n.t('Tell whoever runs the server; it may speak only versions of TLS that are no longer safe.');
const again = () => l10n.t('Try again.');

/** What Node's codes mean: what happened, and what a person can do. */
const words = (): Record<string, [string, string] | undefined> => ({
  ECONNREFUSED: [
    l10n.t('nothing answers there'),
    l10n.t('Check the address and the port, and whether the server runs.'),
  ],
  ENOTFOUND: [
    l10n.t('the host name is not known'),
    l10n.t('Check the spelling of the address and your network connection.'),
  ],
  EAI_AGAIN: [l10n.t('the host name could not be looked up'), l10n.t('Check your network connection.')],
  EHOSTUNREACH: [l10n.t('the host cannot be reached'), network()],
  EHOSTDOWN: [l10n.t('the host cannot be reached'), network()],
  ENETUNREACH: [l10n.t('the network cannot be reached'), network()],
  ENETDOWN: [l10n.t('the network is down'), network()],
  EADDRNOTAVAIL: [l10n.t('the host cannot be reached'), network()],
  ETIMEDOUT: [l10n.t('the host did not answer in time'), network()],
  ECONNRESET: [l10n.t('the other side closed the connection'), again()],
  ECONNABORTED: [l10n.t('the connection was given up'), again()],
  EPIPE: [l10n.t('the other side closed the connection'), again()],
  HPE_INVALID_CONSTANT: [l10n.t('what answers there does not speak HTTP'), notHttp()],
  HPE_INVALID_VERSION: [l10n.t('what answers there does not speak HTTP'), notHttp()],
  HPE_HEADER_OVERFLOW: [l10n.t('the head of its answer is too long'), notHttp()],
  HPE_INVALID_CHUNK_SIZE: [
    l10n.t('the answer is malformed'),
    l10n.t('Try again; a proxy on the way may have damaged it.'),
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: [l10n.t('its certificate is signed by itself'), trust()],
  SELF_SIGNED_CERT_IN_CHAIN: [l10n.t('its certificate is signed by an authority that is not trusted'), trust()],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [l10n.t('its certificate cannot be verified'), trust()],
  UNABLE_TO_GET_ISSUER_CERT: [l10n.t('its certificate cannot be verified'), trust()],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [l10n.t('its certificate cannot be verified'), trust()],
  CERT_UNTRUSTED: [l10n.t('its certificate is not trusted'), trust()],
  CERT_REVOKED: [l10n.t('its certificate was revoked'), l10n.t('Tell whoever runs the server.')],
  CERT_HAS_EXPIRED: [l10n.t('its certificate has expired'), l10n.t('Tell whoever runs the server.')],
  CERT_NOT_YET_VALID: [l10n.t('its certificate is not valid yet'), l10n.t('Check the clock of this machine.')],
  ERR_TLS_CERT_ALTNAME_INVALID: [l10n.t('its certificate is for another host'), l10n.t('Check the address.')],
  ERR_SSL_WRONG_VERSION_NUMBER: [l10n.t('what answers there does not speak TLS'), notTls()],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: [l10n.t('what answers there does not speak TLS'), notTls()],
  ERR_SSL_UNSUPPORTED_PROTOCOL: [l10n.t('there is no version of TLS that both sides have'), oldTls()],
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: [l10n.t('there is no version of TLS that both sides have'), oldTls()],
});

/**
 * What Node said about a connection to `address`, as a `network` error with words a person can use. Errors of the engine
 * pass through.
 * @param bytesReceived how much of a body had come; absent when there was no response yet
 */
export function asNetworkError(error: unknown, address: string, bytesReceived?: number): EngineError {
  if (error instanceof EngineError) return error;
  const [what, advice] = wordsFor(error);
  const message =
    bytesReceived === undefined
      ? l10n.t('Could not get an answer from {0}: {1}.', address, what)
      : l10n.t('The transfer from {0} broke off after {1} bytes: {2}.', address, bytesReceived, what);
  return networkError(message, { advice, subject: address, offset: bytesReceived, cause: error });
}

/** No connection came about in time. */
export function connectTimeoutError(address: string, milliseconds: number): EngineError {
  return networkError(l10n.t('Could not connect to {0} within {1}.', address, seconds(milliseconds)), {
    subject: address,
    advice: network(),
  });
}

/** The other side stands still. */
export function stalledError(address: string, milliseconds: number, bytesReceived?: number): EngineError {
  const time = seconds(milliseconds);
  const message =
    bytesReceived === undefined
      ? l10n.t('{0} has sent nothing for {1}.', address, time)
      : l10n.t('{0} has sent nothing for {1}, after {2} bytes.', address, time, bytesReceived);
  return networkError(message, {
    subject: address,
    offset: bytesReceived,
    advice: l10n.t('Try again, or allow more time in the setting "Stall timeout".'),
  });
}

function wordsFor(error: unknown): [string, string] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reported = error instanceof Error ? error.message : String(error);
  // OpenSSL's reason is in the message where the code is only the system's.
  if (code === 'EPROTO' && /wrong version number|packet length too long|record overflow/.test(reported)) {
    return [l10n.t('what answers there does not speak TLS'), notTls()];
  }
  const known = words()[code];
  if (known !== undefined) return known;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return [l10n.t('the secure connection could not be made'), notTls()];
  if (code.startsWith('HPE_')) return [l10n.t('the answer is malformed'), notHttp()];
  return [reported.replace(/\.$/, ''), l10n.t('Check your network connection and try again.')];
}

function seconds(milliseconds: number): string {
  return milliseconds === 1000 ? l10n.t('1 second') : l10n.t('{0} seconds', Math.round(milliseconds / 100) / 10);
}
