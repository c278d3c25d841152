import { cancelledError } from './errors';

/** What a phase counts. */
export type Unit = 'bytes' | 'files' | 'revisions' | 'objects' | 'requests';

/**
 * The phases that operations report, in the words that logs and JSON use. Editor and command line translate them for
 * people.
 */
export type PhaseName =
  | 'connect'
  | 'discover'
  | 'transfer'
  | 'changelog'
  | 'manifests'
  | 'files'
  | 'store'
  | 'checkout'
  | 'read'
  | 'analyse'
  | 'index'
  | 'resolve'
  | 'unpack'
  | 'write'
  | 'verify'
  | 'finish';

/** How a phase stands. `total` is absent while nobody knows it. */
export interface PhaseProgress {
  type: 'phase';
  phase: PhaseName;
  state: 'running' | 'done';
  done: number;
  total?: number;
  unit: Unit;
  /** Bytes seen in this phase, where the unit is another one: for rates. */
  bytes?: number;
  /** Items seen in this phase beside the unit, such as files of a stream that is counted in bytes. */
  items?: { done: number; total?: number; unit: Unit };
}

/** What was agreed with the other side about the form of a response, and why. */
export interface NegotiationProgress {
  type: 'negotiated';
  /** `stream v2`, `stream v1`, `changegroup 02` ... */
  format: string;
  /** `application/mercurial-0.2` and the like. */
  mediaType?: string;
  /** The engine that the body travels in. */
  compression: string;
  /** Why this engine: a sentence for people. */
  reason: string;
}

/** One fact to keep with the transfer, such as the requirements of a store. */
export interface NoteProgress {
  type: 'note';
  name: string;
  value: string | number;
}

export type ProgressEvent = PhaseProgress | NegotiationProgress | NoteProgress;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** Where an operation writes its lines. */
export type Log = (level: LogLevel, message: string) => void;

/** What every operation is given: how it is stopped, and where it says how it goes. */
export interface Operation {
  signal: AbortSignal;
  progress: (event: ProgressEvent) => void;
  log: Log;
}

/** An operation that nobody watches and nobody stops; tests and small scripts use it. */
export const unattended: Operation = {
  signal: new AbortController().signal,
  progress: () => undefined,
  log: () => undefined,
};

/** Throws a `cancelled` error once the operation was told to stop. Cheap enough for every few thousand items. */
export function throwIfCancelled(operation: Pick<Operation, 'signal'>): void {
  if (operation.signal.aborted) throw cancelledError();
}
