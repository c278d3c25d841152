import { EngineError, networkError } from '../io/errors';

const network = 'Check your network connection, VPN or proxy.';
const trust = 'Add the authority to the certificates of your system if you trust it.';
const notHttp = 'Check the address and the port, and whether it should begin with https://.';
const notTls = 'Check the port, and whether the address should begin with http://.';
const oldTls = 'Tell whoever runs the server; it may speak only versions of TLS that are no longer safe.';
const again = 'Try again.';

/** What Node's codes mean: what happened, and what a person can do. */
const words: Record<string, [string, string] | undefined> = {
  ECONNREFUSED: ['nothing answers there', 'Check the address and the port, and whether the server runs.'],
  ENOTFOUND: ['the host name is not known', 'Check the spelling of the address and your network connection.'],
  EAI_AGAIN: ['the host name could not be looked up', 'Check your network connection.'],
  EHOSTUNREACH: ['the host cannot be reached', network],
  EHOSTDOWN: ['the host cannot be reached', network],
  ENETUNREACH: ['the network cannot be reached', network],
  ENETDOWN: ['the network is down', network],
  EADDRNOTAVAIL: ['the host cannot be reached', network],
  ETIMEDOUT: ['the host did not answer in time', network],
  ECONNRESET: ['the other side closed the connection', again],
  ECONNABORTED: ['the connection was given up', again],
  EPIPE: ['the other side closed the connection', again],
  HPE_INVALID_CONSTANT: ['what answers there does not speak HTTP', notHttp],
  HPE_INVALID_VERSION: ['what answers there does not speak HTTP', notHttp],
  HPE_HEADER_OVERFLOW: ['the head of its answer is too long', notHttp],
  HPE_INVALID_CHUNK_SIZE: ['the answer is malformed', 'Try again; a proxy on the way may have damaged it.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is signed by itself', trust],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate is signed by an authority that is not trusted', trust],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['its certificate cannot be verified', trust],
  UNABLE_TO_GET_ISSUER_CERT: ['its certificate cannot be verified', trust],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['its certificate cannot be verified', trust],
  CERT_UNTRUSTED: ['its certificate is not trusted', trust],
  CERT_REVOKED: ['its certificate was revoked', 'Tell whoever runs the server.'],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Tell whoever runs the server.'],
  CERT_NOT_YET_VALID: ['its certificate is not valid yet', 'Check the clock of this machine.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host', 'Check the address.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['what answers there does not speak TLS', notTls],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['what answers there does not speak TLS', notTls],
  ERR_SSL_UNSUPPORTED_PROTOCOL: ['there is no version of TLS that both sides have', oldTls],
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: ['there is no version of TLS that both sides have', oldTls],
};

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
      ? `Could not get an answer from ${address}: ${what}.`
      : `The transfer from ${address} broke off after ${bytesReceived} bytes: ${what}.`;
  return networkError(message, { advice, subject: address, offset: bytesReceived, cause: error });
}

/** No connection came about in time. */
export function connectTimeoutError(address: string, milliseconds: number): EngineError {
  return networkError(`Could not connect to ${address} within ${seconds(milliseconds)}.`, {
    subject: address,
    advice: network,
  });
}

/** The other side stands still. */
export function stalledError(address: string, milliseconds: number, bytesReceived?: number): EngineError {
  const after = bytesReceived === undefined ? '' : `, after ${bytesReceived} bytes`;
  return networkError(`${address} has sent nothing for ${seconds(milliseconds)}${after}.`, {
    subject: address,
    offset: bytesReceived,
    advice: 'Try again, or allow more time in the setting "Stall timeout".',
  });
}

function wordsFor(error: unknown): [string, string] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reported = error instanceof Error ? error.message : String(error);
  // OpenSSL's reason is in the message where the code is only the system's.
  if (code === 'EPROTO' && /wrong version number|packet length too long|record overflow/.test(reported)) {
    return ['what answers there does not speak TLS', notTls];
  }
  const known = words[code];
  if (known !== undefined) return known;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return ['the secure connection could not be made', notTls];
  if (code.startsWith('HPE_')) return ['the answer is malformed', notHttp];
  return [reported.replace(/\.$/, ''), 'Check your network connection and try again.'];
}

function seconds(milliseconds: number): string {
  return milliseconds === 1000 ? '1 second' : `${Math.round(milliseconds / 100) / 10} seconds`;
}
