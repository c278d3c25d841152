import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Access } from './serveRequest';

/** The realm that is named when credentials are asked for. */
export const realm = 'Deltascope';

/** Whether a request may be answered. Compared in a time that tells nothing of what was expected. */
export function isAllowed(request: IncomingMessage, access: Access | undefined): boolean {
  if (access === undefined) return true;
  const [scheme, given = ''] = (request.headers.authorization ?? '').split(' ');
  if (/^bearer$/i.test(scheme)) return access.kind === 'token' && isSame(given, access.token);
  if (!/^basic$/i.test(scheme)) return false;
  const words = Buffer.from(given, 'base64').toString();
  const colon = words.indexOf(':');
  const [username, password] = [words.slice(0, Math.max(0, colon)), words.slice(colon + 1)];
  if (access.kind === 'token') return isSame(password, access.token);
  const isUser = isSame(username, access.username);
  return isSame(password, access.password) && isUser;
}

/** Whether an address reaches this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Whether a request means this server by the name it gives: on a server for this machine alone only names of this machine
 * do. A page in a browser could otherwise reach it under the name of a site, and read what is here.
 */
export function isMeant(request: IncomingMessage, host: string): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)/.exec(request.headers.host ?? '')?.[1].replace(/[[\]]/g, '') ?? '';
  return !isLoopback(host) || name === '' || name === host || isLoopback(name.toLowerCase());
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
