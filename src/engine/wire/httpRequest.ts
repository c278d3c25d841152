import * as http from 'node:http';
import * as https from 'node:https';
import { cancelledError, networkError } from '../io/errors';
import { asNetworkError } from './connectionErrors';
import type { WireSettings } from './wireSettings';

/** One request, with nothing left to decide. */
export interface HttpRequest {
  url: URL;
  headers: Record<string, string>;
  /** Sent by POST when there is one, by GET otherwise. */
  body?: string;
}

/**
 * Sends one request and resolves with the response as soon as its head is there. The functions are looked up on their
 * modules at each call: an editor that patches them for proxies and certificates is honoured.
 *
 * @throws `network` when there is no connection or no byte within `settings.stallTimeout`, `cancelled`.
 */
export function sendRequest(
  request: HttpRequest,
  settings: WireSettings,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const address = request.url.origin;
  const options: https.RequestOptions = {
    method: request.body === undefined ? 'GET' : 'POST',
    headers: { ...request.headers },
    signal,
    ca: settings.certificateAuthorities,
  };
  return new Promise((resolve, reject) => {
    const send = request.url.protocol === 'https:' ? https.request : http.request;
    const sent = send(request.url, options, (response) => {
      sent.setTimeout(0);
      resolve(response);
    });
    if (settings.stallTimeout > 0) {
      sent.setTimeout(settings.stallTimeout, () => sent.destroy(stalled(address, settings.stallTimeout)));
    }
    sent.on('error', (error) => reject(signal.aborted ? cancelledError() : asNetworkError(error, address)));
    sent.end(request.body);
  });
}

/**
 * The body of a response, pulled: the socket is not read while nobody asks. Whoever stops iterating closes it.
 * @throws `network` with the number of bytes when it breaks off or stands still, `cancelled`.
 */
export async function* responseBody(
  response: http.IncomingMessage,
  settings: WireSettings,
  signal: AbortSignal,
  address: string,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  if (settings.stallTimeout > 0) {
    response.setTimeout(settings.stallTimeout, () => response.destroy(stalled(address, settings.stallTimeout)));
  }
  try {
    for await (const bytes of response as AsyncIterable<Uint8Array>) {
      received += bytes.length;
      yield bytes;
    }
    if (!response.complete) throw Object.assign(new Error('incomplete'), { code: 'ECONNRESET' });
  } catch (error) {
    throw signal.aborted ? cancelledError() : asNetworkError(error, address, received);
  } finally {
    response.destroy();
  }
}

function stalled(address: string, milliseconds: number): Error {
  return networkError(`${address} has sent nothing for ${Math.round(milliseconds / 100) / 10} seconds.`, {
    subject: address,
    advice: 'Try again, or allow more time in the setting "Stall timeout".',
  });
}
