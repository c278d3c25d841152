import type { IncomingMessage } from 'node:http';
import { authenticationError, EngineError, protocolError } from '../io/errors';

const client = 'Check that the address is that of a Mercurial repository.';

/** The error for a response that is no success, by its status. */
export function refusal(response: IncomingMessage, address: string): EngineError {
  const status = response.statusCode ?? 0;
  const details = { status, subject: address };
  if (status === 401) {
    return authenticationError(`${address} does not accept the user name and password.`, {
      ...details,
      realm: realmOf(response),
      advice: 'Try again with other credentials.',
    });
  }
  if (status === 403) {
    return authenticationError(`${address} does not let you read this repository.`, {
      ...details,
      advice: 'Ask its owner for access.',
    });
  }
  if (status === 404 || status === 410) {
    return protocolError(`There is no repository at ${address}.`, { ...details, advice: client });
  }
  if (status === 406 || status === 405) {
    return protocolError(`What answers at ${address} is not a Mercurial server.`, { ...details, advice: client });
  }
  if (status >= 500) {
    return new EngineError('network', `The server at ${address} failed with status ${status}.`, {
      ...details,
      advice: 'Try again later, or tell whoever runs the server.',
    });
  }
  return protocolError(`${address} answered with status ${status}.`, { ...details, advice: client });
}

/** The error for a successful response that is not Mercurial's. */
export function foreignAnswer(mediaType: string, beginning: string, address: string): EngineError {
  const git = mediaType.includes('git') || /^[0-9a-f]{4}# service=git/.test(beginning);
  const page = mediaType.startsWith('text/html') || /^\s*<(!doctype|html)/i.test(beginning);
  const what = git ? 'is a Git server' : page ? 'is a web page' : `is ${mediaType || 'of no known type'}`;
  return protocolError(`What answers at ${address} ${what}, not a Mercurial repository.`, {
    subject: address,
    advice: client,
  });
}

/** The realm that a basic challenge names. */
export function realmOf(response: IncomingMessage): string {
  return /realm="([^"]*)"/i.exec(response.headers['www-authenticate'] ?? '')?.[1] ?? '';
}
