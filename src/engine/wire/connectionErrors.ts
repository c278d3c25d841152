import { EngineError, networkError } from '../io/errors';

const words: Record<string, [string, string] | undefined> = {
  ECONNREFUSED: ['nothing answers there', 'Check the address and the port, and whether the server runs.'],
  ENOTFOUND: ['the host name is not known', 'Check the spelling of the address and your network connection.'],
  EAI_AGAIN: ['the host name could not be looked up', 'Check your network connection.'],
  EHOSTUNREACH: ['the host cannot be reached', 'Check your network connection, VPN or proxy.'],
  ENETUNREACH: ['the network cannot be reached', 'Check your network connection, VPN or proxy.'],
  ETIMEDOUT: ['the connection timed out', 'Check your network connection, VPN or proxy.'],
  ECONNRESET: ['the connection was cut', 'Try again.'],
  EPIPE: ['the connection was cut', 'Try again.'],
  HPE_INVALID_CONSTANT: ['what answers there does not speak HTTP', 'Check the address and the port.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is signed by itself', certificateAdvice()],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate is signed by an authority that is not trusted', certificateAdvice()],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['its certificate cannot be verified', certificateAdvice()],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['its certificate cannot be verified', certificateAdvice()],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Tell whoever runs the server.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host', 'Check the address.'],
};

/** What Node said about a connection to `address`, as a `network` error with words a person can use. */
export function asNetworkError(error: unknown, address: string, bytesReceived?: number): Error {
  if (error instanceof EngineError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reported = error instanceof Error ? error.message : String(error);
  const tls = /^(ERR_SSL|EPROTO)/.test(code);
  const [what, advice] = words[code] ?? [
    tls ? 'the secure connection could not be made' : reported,
    tls ? 'Check that the server speaks https on this port.' : 'Check your network connection and try again.',
  ];
  const message =
    bytesReceived === undefined
      ? `Could not connect to ${address}: ${what}.`
      : `The transfer from ${address} broke off after ${bytesReceived} bytes: ${what}.`;
  return networkError(message, { advice, subject: address, cause: error });
}

function certificateAdvice(): string {
  return 'Add the authority to the certificates of your system if you trust it.';
}
