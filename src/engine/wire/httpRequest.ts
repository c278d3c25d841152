import * as http from 'node:http';
import * as https from 'node:https';
import { cancelledError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { asNetworkError, connectTimeoutError, stalledError } from './connectionErrors';
import { demandFingerprint, type HostSecurity } from './hostSecurity';
import { ResponseBody } from './responseBody';
import type { WireSettings } from './wireSettings';

const defaultConnectTimeout = 30_000;
const defaultUserAgent = 'mercurial/proto-1.0 (Deltascope)';

/** One request, with nothing left to decide. */
export interface HttpRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Sent by POST when there is one, by GET otherwise. */
  body?: string;
}

/** A response whose head is there and whose body is still to be read. */
export interface HttpResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: ResponseBody;
}

/**
 * Sends one request and resolves with the response as soon as its head is there.
 * @throws `network` when there is no connection within `settings.connectTimeout`, or no head within
 * `settings.stallTimeout` after it; `cancelled`.
 */
export async function sendRequest(
  request: HttpRequest,
  settings: WireSettings,
  operation: Pick<Operation, 'signal'>,
): Promise<HttpResponse> {
  throwIfCancelled(operation);
  const first = await attempt(request, settings, operation.signal);
  if (first !== 'stale') return first;
  throwIfCancelled(operation);
  const second = await attempt(request, settings, operation.signal);
  if (second !== 'stale') return second;
  throw asNetworkError(Object.assign(new Error('closed'), { code: 'ECONNRESET' }), request.url.origin);
}

/** `stale` when the server had closed a connection that was kept from an earlier request: sending again is safe then. */
function attempt(request: HttpRequest, settings: WireSettings, signal: AbortSignal): Promise<HttpResponse | 'stale'> {
  const { url, body: sentBody } = request;
  const { stallTimeout, connectTimeout = defaultConnectTimeout } = settings;
  return new Promise((resolve, reject) => {
    const security = url.protocol === 'https:' ? settings.hostSecurity?.(url) : undefined;
    const sent = requestFunction(url)(url, { ...requestOptions(request, settings), ...tlsOptions(security) });
    let body: ResponseBody | undefined;
    let timer: NodeJS.Timeout | undefined;
    const stopAfter = (milliseconds: number, error: () => Error) => {
      clearTimeout(timer);
      // What came while this thread was held is heard before the server is blamed.
      const stop = () => setImmediate(() => timer === own && body === undefined && sent.destroy(error()));
      const own = (timer = milliseconds > 0 ? setTimeout(stop, milliseconds) : undefined);
    };
    const cancel = () => (body === undefined ? sent.destroy(cancelledError()) : body.cancel());
    signal.addEventListener('abort', cancel, { once: true });
    sent.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (body !== undefined) body.fail(error);
      else if (sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve('stale');
      else reject(asNetworkError(error, url.origin));
    });
    // The request is through: whatever there was to do for a connection has been done.
    sent.on('finish', () => stopAfter(stallTimeout, () => stalledError(url.origin, stallTimeout)));
    sent.on('response', (response) => {
      clearTimeout(timer);
      body = new ResponseBody(response, url.origin, stallTimeout);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    stopAfter(connectTimeout, () => connectTimeoutError(url.origin, connectTimeout));
    const { fingerprints } = security ?? {};
    if (fingerprints === undefined) sent.end(sentBody);
    else
      // Nothing is sent, not even the head, to a server that has not shown who it is.
      sent.on('socket', (socket) => {
        demandFingerprint(socket, fingerprints, url.origin).then(
          () => sent.end(sentBody),
          (error: unknown) => sent.destroy(error as Error),
        );
      });
  });
}

/**
 * Looked up on its module at each call, since an editor replaces these functions by its own, for proxies and for the
 * system's certificates. For the same reason there is no agent of ours: the editor's would give way to it.
 */
function requestFunction(url: URL): typeof http.request {
  return url.protocol === 'https:' ? https.request : http.request;
}

/** With fingerprints, nobody's signature counts; they are looked at before anything is sent. */
function tlsOptions({ fingerprints, ...options }: HostSecurity = {}): https.RequestOptions {
  return fingerprints === undefined ? options : { ...options, rejectUnauthorized: false };
}

function requestOptions(request: HttpRequest, settings: WireSettings): https.RequestOptions {
  const { certificateAuthorities, rejectUnauthorized, userAgent = defaultUserAgent } = settings;
  return {
    method: request.body === undefined ? 'GET' : 'POST',
    // Compression is the protocol's own business; a proxy shall not add another.
    headers: { 'Accept-Encoding': 'identity', 'User-Agent': userAgent, ...request.headers },
    // Absent rather than undefined: the editor looks whether they are there.
    ...(certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}
