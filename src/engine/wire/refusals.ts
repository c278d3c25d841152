import { authenticationError, EngineError, networkError, protocolError } from '../io/errors';
import { parseChallenges } from './challenge';
import { printable } from '../io/printable';

const check = 'Check that the address is that of a Mercurial repository, not of a page about it or of a list of them.';
const later = 'Try again later, or tell whoever runs the server.';

/** What a response that is no success says for itself. */
export interface Refusal {
  status: number;
  /** The `WWW-Authenticate` header. */
  challenge?: string;
  /** What the server said in words, where it did; bytes as Latin-1. */
  words?: string;
  /** Whether the request carried a user name and password. */
  hadCredentials: boolean;
}

/** The error for a response that is no success, by its status. */
export function refusalError(refusal: Refusal, address: string): EngineError {
  const { status, hadCredentials } = refusal;
  const said = wordsOf(refusal);
  const details = { status, subject: address };
  if (status === 401) return signInError(refusal, address);
  if (status === 403) {
    return authenticationError(`${address} does not let you read this repository.${said}`, {
      ...details,
      advice: hadCredentials ? 'Ask its owner for access.' : 'Ask its owner for access, or sign in.',
    });
  }
  if (status === 407) {
    return authenticationError('The proxy wants a user name and password.', {
      ...details,
      advice: 'Give them with the address of the proxy in your settings.',
    });
  }
  if (status === 404 || status === 410) {
    return protocolError(`There is no repository at ${address}.${said}`, { ...details, advice: check });
  }
  if (status === 406 || status === 405) {
    return protocolError(`What answers at ${address} is not a Mercurial server.`, { ...details, advice: check });
  }
  if (status === 414 || status === 431 || status === 413) {
    return protocolError(`The request was too long for the server at ${address}, or for a proxy before it.`, {
      ...details,
      advice: 'Its owner can allow longer headers, or arguments in the body of a request.',
    });
  }
  if (status === 408 || status === 425 || status === 429) {
    return networkError(`The server at ${address} is too busy (status ${status}).${said}`, {
      ...details,
      advice: later,
    });
  }
  if (status >= 500) {
    return networkError(`The server at ${address} failed with status ${status}.${said}`, { ...details, advice: later });
  }
  return protocolError(`${address} answered with status ${status}.${said}`, { ...details, advice: check });
}

/** hgweb begins its words with a line `0`, for failure, and often they only repeat the status. */
function wordsOf({ words = '' }: Refusal): string {
  const said = printable(words.replace(/^0\n/, ''));
  return said === '' || /^(not found|internal server error|forbidden)$/i.test(said) ? '' : ` It says: ${said}.`;
}

function signInError({ challenge = '', hadCredentials }: Refusal, address: string): EngineError {
  const schemes = parseChallenges(challenge);
  const basic = schemes.find(({ name }) => name === 'basic');
  const details = { status: 401, subject: address, realm: (basic ?? schemes.at(0))?.realm };
  if (basic === undefined && schemes.length > 0) {
    const names = schemes.map(({ name }) => name).join(', ');
    return authenticationError(`${address} wants a way of signing in that Deltascope does not have: ${names}.`, {
      ...details,
      advice: 'Ask whoever runs the server for an address that takes a user name and a password or token.',
    });
  }
  return hadCredentials
    ? authenticationError(`${address} does not accept the user name and password.`, {
        ...details,
        advice: 'Try again with other credentials.',
      })
    : authenticationError(`${address} wants a user name and password.`, {
        ...details,
        advice: 'Sign in, and try again.',
      });
}

/** The error for a server's own words about what went wrong. */
export function serverError(words: string, address: string): EngineError {
  return protocolError(`The server says: ${printable(words)}.`, { subject: address });
}

/** The error for a successful response that is not Mercurial's. */
export function foreignAnswer(mediaType: string, beginning: string, address: string): EngineError {
  if (mediaType === 'application/hg-changegroup') {
    return new EngineError(
      'unsupported',
      `The server at ${address} is too old: it speaks a protocol that is no longer in use.`,
      {
        subject: mediaType,
        advice: 'Clone it with the hg program, or have the server updated.',
      },
    );
  }
  if (mediaType.startsWith('application/mercurial-')) {
    return protocolError(`The server at ${address} answered as ${mediaType}, which nobody asked for.`, {
      subject: mediaType,
      advice: 'Update Deltascope; the server may be newer.',
    });
  }
  return protocolError(`What answers at ${address} is ${describe(mediaType, beginning)}, not a Mercurial repository.`, {
    subject: address,
    advice: address.endsWith('.git') ? 'This looks like the address of a Git repository.' : check,
  });
}

function describe(mediaType: string, beginning: string): string {
  if (mediaType.includes('git') || /^[0-9a-f]{4}(# service=git|ERR )/.test(beginning)) return 'a Git server';
  if (mediaType.includes('html') || /^\s*<(!doctype html|html)/i.test(beginning)) return 'a web page';
  if (mediaType.includes('json') || /^\s*[{[]\s*"/.test(beginning)) return 'a service that speaks JSON';
  if (mediaType.startsWith('image/') || mediaType === 'application/octet-stream') return 'a file';
  return mediaType === '' ? 'of no known type' : `of type ${printable(mediaType)}`;
}
