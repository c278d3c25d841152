import * as l10n from '@vscode/l10n';
import { authenticationError, EngineError, networkError, protocolError } from '../io/errors';
import { parseChallenges } from './challenge';
import { printable } from '../io/printable';

const check = () =>
  l10n.t('Check that the address is that of a Mercurial repository, not of a page about it or of a list of them.');
const later = () => l10n.t('Try again later, or tell whoever runs the server.');

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
    return authenticationError(l10n.t('{0} does not let you read this repository.{1}', address, said), {
      ...details,
      advice: hadCredentials ? l10n.t('Ask its owner for access.') : l10n.t('Ask its owner for access, or sign in.'),
    });
  }
  if (status === 407) {
    return authenticationError(l10n.t('The proxy wants a user name and password.'), {
      ...details,
      advice: l10n.t('Give them with the address of the proxy in your settings.'),
    });
  }
  if (status === 404 || status === 410) {
    return protocolError(l10n.t('There is no repository at {0}.{1}', address, said), { ...details, advice: check() });
  }
  if (status === 406 || status === 405) {
    return protocolError(l10n.t('What answers at {0} is not a Mercurial server.', address), {
      ...details,
      advice: check(),
    });
  }
  if (status === 414 || status === 431 || status === 413) {
    return protocolError(l10n.t('The request was too long for the server at {0}, or for a proxy before it.', address), {
      ...details,
      advice: l10n.t('Its owner can allow longer headers, or arguments in the body of a request.'),
    });
  }
  if (status === 408 || status === 425 || status === 429) {
    return networkError(l10n.t('The server at {0} is too busy (status {1}).{2}', address, status, said), {
      ...details,
      advice: later(),
    });
  }
  if (status >= 500) {
    return networkError(l10n.t('The server at {0} failed with status {1}.{2}', address, status, said), {
      ...details,
      advice: later(),
    });
  }
  return protocolError(l10n.t('{0} answered with status {1}.{2}', address, status, said), {
    ...details,
    advice: check(),
  });
}

/** hgweb begins its words with a line `0`, for failure, and often they only repeat the status. */
function wordsOf({ words = '' }: Refusal): string {
  const said = printable(words.replace(/^0\n/, ''));
  return said === '' || /^(not found|internal server error|forbidden)$/i.test(said)
    ? ''
    : l10n.t(' It says: {0}.', said);
}

function signInError({ challenge = '', hadCredentials }: Refusal, address: string): EngineError {
  const schemes = parseChallenges(challenge);
  const basic = schemes.find(({ name }) => name === 'basic');
  const details = { status: 401, subject: address, realm: (basic ?? schemes.at(0))?.realm };
  if (basic === undefined && schemes.length > 0) {
    const names = schemes.map(({ name }) => name).join(', ');
    return authenticationError(
      l10n.t('{0} wants a way of signing in that Deltascope does not have: {1}.', address, names),
      {
        ...details,
        advice: l10n.t('Ask whoever runs the server for an address that takes a user name and a password or token.'),
      },
    );
  }
  return hadCredentials
    ? authenticationError(l10n.t('{0} does not accept the user name and password.', address), {
        ...details,
        advice: l10n.t('Try again with other credentials.'),
      })
    : authenticationError(l10n.t('{0} wants a user name and password.', address), {
        ...details,
        advice: l10n.t('Sign in, and try again.'),
      });
}

/** The error for a server's own words about what went wrong. */
export function serverError(words: string, address: string): EngineError {
  return protocolError(l10n.t('The server says: {0}.', printable(words)), { subject: address });
}

/** The error for a successful response that is not Mercurial's. */
export function foreignAnswer(mediaType: string, beginning: string, address: string): EngineError {
  if (mediaType === 'application/hg-changegroup') {
    return new EngineError(
      'unsupported',
      l10n.t('The server at {0} is too old: it speaks a protocol that is no longer in use.', address),
      {
        subject: mediaType,
        advice: l10n.t('Clone it with the hg program, or have the server updated.'),
      },
    );
  }
  if (mediaType.startsWith('application/mercurial-')) {
    return protocolError(l10n.t('The server at {0} answered as {1}, which nobody asked for.', address, mediaType), {
      subject: mediaType,
      advice: l10n.t('Update Deltascope; the server may be newer.'),
    });
  }
  return protocolError(
    l10n.t('What answers at {0} is {1}, not a Mercurial repository.', address, describe(mediaType, beginning)),
    {
      subject: address,
      advice: address.endsWith('.git') ? l10n.t('This looks like the address of a Git repository.') : check(),
    },
  );
}

function describe(mediaType: string, beginning: string): string {
  if (mediaType.includes('git') || /^[0-9a-f]{4}(# service=git|ERR )/.test(beginning)) return l10n.t('a Git server');
  if (mediaType.includes('html') || /^\s*<(!doctype html|html)/i.test(beginning)) return l10n.t('a web page');
  if (mediaType.includes('json') || /^\s*[{[]\s*"/.test(beginning)) return l10n.t('a service that speaks JSON');
  if (mediaType.startsWith('image/') || mediaType === 'application/octet-stream') return l10n.t('a file');
  return mediaType === '' ? l10n.t('of no known type') : l10n.t('of type {0}', printable(mediaType));
}
