import * as l10n from '@vscode/l10n';
/**
 * The kinds of failure that the engine knows. Editor and command line choose their words and their buttons by kind,
 * so every error that leaves the engine has one.
 */
export type ErrorKind =
  | 'network'
  | 'authentication'
  | 'protocol'
  | 'unsupported'
  | 'corrupt'
  | 'integrity'
  | 'lockHeld'
  | 'destination'
  | 'cancelled';

/** What an error carries beside its sentence; all of it survives the way between threads. */
export interface ErrorDetails {
  /** What a person can do about it, as a sentence. */
  advice?: string;
  /** The file, address, part or requirement that the error is about. */
  subject?: string;
  /** Byte offset in the subject, where one is known. */
  offset?: number;
  /** The HTTP status, where a server gave one. */
  status?: number;
  /** The realm that asks for credentials. */
  realm?: string;
  cause?: unknown;
}

/** The base of all errors that the engine throws on purpose. The message says what happened and where. */
export class EngineError extends Error {
  readonly kind: ErrorKind;
  readonly advice?: string;
  readonly subject?: string;
  readonly offset?: number;
  readonly status?: number;
  readonly realm?: string;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'EngineError';
    this.kind = kind;
    this.advice = details.advice;
    this.subject = details.subject;
    this.offset = details.offset;
    this.status = details.status;
    this.realm = details.realm;
  }
}

/** The connection could not be made, broke, or stood still for too long. */
export const networkError = (message: string, details?: ErrorDetails) => new EngineError('network', message, details);

/** The server wants other credentials, or refuses these. */
export const authenticationError = (message: string, details?: ErrorDetails) =>
  new EngineError('authentication', message, details);

/** The other side does not speak the protocol, or breaks it. */
export const protocolError = (message: string, details?: ErrorDetails) => new EngineError('protocol', message, details);

/** A requirement, capability, version or mandatory part that this engine does not have; `subject` names it. */
export const unsupportedError = (message: string, details?: ErrorDetails) =>
  new EngineError('unsupported', message, details);

/** Bytes that cannot be what they claim to be; `subject` names the file or stream, `offset` the place. */
export const corruptError = (message: string, details?: ErrorDetails) => new EngineError('corrupt', message, details);

/** Well-formed bytes whose hash is not the one they were stored or asked for under; `subject` names the node. */
export const integrityError = (message: string, details?: ErrorDetails) =>
  new EngineError('integrity', message, details);

/** Another process holds the lock; `subject` says who. */
export const lockHeldError = (message: string, details?: ErrorDetails) => new EngineError('lockHeld', message, details);

/** The place to write to is taken, forbidden or full; `subject` is the path. */
export const destinationError = (message: string, details?: ErrorDetails) =>
  new EngineError('destination', message, details);

/** The person, or the program on their behalf, asked to stop. */
export const cancelledError = (message = 'Cancelled.') => new EngineError('cancelled', message);

/** An error in the form that passes between threads. */
export interface PlainError extends Omit<ErrorDetails, 'cause'> {
  kind?: ErrorKind;
  message: string;
  stack?: string;
  /** `code` of a Node system error, such as `ENOSPC`. */
  code?: string;
}

/** Flattens any thrown value so that it can be posted to another thread. */
export function toPlainError(error: unknown): PlainError {
  if (error instanceof EngineError) {
    const { kind, message, advice, subject, offset, status, realm, stack } = error;
    return { kind, message, advice, subject, offset, status, realm, stack };
  }
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    return { message: error.message, stack: error.stack, code };
  }
  return { message: String(error) };
}

/** The reverse of {@link toPlainError}: an `EngineError` where there was one, a plain `Error` otherwise. */
export function fromPlainError(plain: PlainError): Error {
  if (plain.kind !== undefined) {
    const error = new EngineError(plain.kind, plain.message, plain);
    error.stack = plain.stack;
    return error;
  }
  const error = new Error(plain.message);
  error.stack = plain.stack;
  return plain.code === undefined ? error : Object.assign(error, { code: plain.code });
}

const full = () => l10n.t('Free some space, or choose a destination on another disk.');
const forbidden = () => l10n.t('Choose a destination that you may write to.');
const systemWords = (): Record<string, [string, string] | undefined> => ({
  ENOSPC: [l10n.t('the disk is full'), full()],
  EDQUOT: [l10n.t('the disk quota is used up'), full()],
  EFBIG: [l10n.t('the file is larger than this disk allows'), l10n.t('Choose a destination on another disk.')],
  EACCES: [l10n.t('permission was denied'), forbidden()],
  EPERM: [l10n.t('the operation is not permitted'), forbidden()],
  EROFS: [l10n.t('the file system is read-only'), forbidden()],
  ENOENT: [l10n.t('part of the path is missing'), l10n.t('Choose another destination.')],
  ENAMETOOLONG: [
    l10n.t('a name is too long for this file system'),
    l10n.t('Choose a destination with a shorter path.'),
  ],
  EISDIR: [l10n.t('there is a folder of that name'), l10n.t('Choose another destination.')],
  EEXIST: [l10n.t('there is a file of that name'), l10n.t('Choose another destination.')],
  ENOTDIR: [l10n.t('part of the path is a file, not a folder'), l10n.t('Choose another destination.')],
});

/**
 * Turns what the file system said while writing under `path` into a `destination` error with words a person can use.
 * Engine errors and errors that are not the file system's pass through unchanged.
 */
export function asDestinationError(error: unknown, path: string): unknown {
  if (error instanceof EngineError || !(error instanceof Error) || !('code' in error)) return error;
  const words = systemWords()[String(error.code)];
  if (words === undefined) return error;
  return destinationError(l10n.t('Could not write to {0}: {1}.', path, words[0]), {
    advice: words[1],
    subject: path,
    cause: error,
  });
}
