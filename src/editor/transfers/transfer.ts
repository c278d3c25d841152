import type { NegotiationProgress, PhaseName, PhaseProgress, ProgressEvent } from '../../engine/io/operation';

/** How a transfer stands. */
export type TransferState = 'running' | 'done' | 'failed' | 'cancelled';

/** One phase of a transfer with its own clock. */
export interface TransferPhase extends PhaseProgress {
  /** Milliseconds on the clock of `performance.now()`. */
  begun: number;
  /** When it was told of last. */
  heard: number;
  ended?: number;
}

/** What is known of a transfer when it has succeeded. */
export interface TransferOutcome {
  /** Bytes that came in, and bytes that they became. */
  bytesOnWire?: number;
  bytesOnDisk?: number;
  /** Bytes that a client of ours was sent. */
  bytesSent?: number;
  /** Large objects that went through a fixed buffer, the first of them by name. */
  streamedObjects?: number;
  streamed?: readonly { name: string; kind: string; size: number; reason: string }[];
  bufferBytes?: number;
  /** The most memory of the process, in bytes. */
  peakMemory?: number;
  /** What a person should know all the same. */
  warnings?: readonly string[];
}

/** How far a transfer was at some moments: columns of equal length. */
export interface TransferHistory {
  /** Seconds since its begin. */
  seconds: number[];
  /** Bytes that had come in. */
  bytes: number[];
  /** Objects by kind, where it has objects. */
  kinds: Record<string, number[]>;
}

/** What can be done with a transfer from outside. */
export interface TransferActions {
  cancel: () => void;
  retry?: () => void;
}

/** Whether this window began it, or a client of a repository that it serves. */
export type TransferSide = 'own' | 'served';

/** Seconds over which the current rate is measured. */
const rateWindow = 3;
/** Moments that are kept; of a longer transfer every other one is dropped, again and again. */
const mostMoments = 400;

/** What is done with a changegroup while it comes in. */
const readingPhases: ReadonlySet<PhaseName | undefined> = new Set<PhaseName>(['changelog', 'manifests', 'files']);

/**
 * One operation as a person sees it: its phases, its rate, its terms and its end. Knows nothing of the editor; time comes
 * from `now`, in milliseconds.
 */
export class Transfer {
  readonly phases = new Map<PhaseName, TransferPhase>();
  readonly begun: number;
  state: TransferState = 'running';
  ended: number | undefined;
  negotiated: NegotiationProgress | undefined;
  /** What went wrong, as a sentence. */
  failure: string | undefined;
  outcome: TransferOutcome = {};
  readonly history: TransferHistory = { seconds: [], bytes: [], kinds: {} };
  /** Facts by name, such as its memory so far. */
  readonly notes = new Map<string, string | number>();
  private momentEvery = 0.1;
  private current: TransferPhase | undefined;
  private samples: { at: number; done: number }[] = [];

  constructor(
    readonly id: number,
    /** What is done: `Cloning sample`. */
    readonly title: string,
    readonly source: string,
    readonly destination: string,
    readonly actions: TransferActions,
    private readonly now: () => number = () => performance.now(),
    readonly side: TransferSide = 'own',
  ) {
    this.begun = now();
  }

  note(event: ProgressEvent): void {
    if (event.type === 'negotiated') this.negotiated = event;
    if (event.type === 'note') this.notes.set(event.name, event.value);
    if (event.type === 'phase') this.notePhase(event);
    this.remember();
  }

  /** Keeps what is known after a success. */
  conclude(outcome: TransferOutcome): void {
    this.outcome = outcome;
    this.remember(true);
  }

  get warnings(): readonly string[] {
    return this.outcome.warnings ?? [];
  }

  finish(state: Exclude<TransferState, 'running'>, failure?: string): void {
    this.state = state;
    this.failure = failure;
    this.ended = this.now();
    if (state !== 'done') return;
    // What comes in while it is being read has no end of its own.
    for (const phase of this.phases.values()) phase.ended ??= phase.heard;
  }

  /** The phase that was heard of last. */
  get phase(): TransferPhase | undefined {
    return this.current;
  }

  /** How much of the current phase is done, from 0 to 1; undefined while its total is not known. */
  get fraction(): number | undefined {
    const { done, total } = this.current ?? { done: 0 };
    if (total === undefined) return undefined;
    return total === 0 ? 1 : Math.min(1, done / total);
  }

  /** Units of the current phase in a second, over the last few seconds. */
  get rate(): number {
    const first = this.samples.at(0);
    const last = this.samples.at(-1);
    if (first === undefined || last === undefined || last.at <= first.at) return 0;
    return ((last.done - first.done) * 1000) / (last.at - first.at);
  }

  get seconds(): number {
    return ((this.ended ?? this.now()) - this.begun) / 1000;
  }

  /** One more moment of the history, when it is time for one. */
  private remember(isLast = false): void {
    const { seconds, bytes, kinds } = this.history;
    const now = this.seconds;
    if (!isLast && seconds.length > 0 && now - seconds[seconds.length - 1] < this.momentEvery) return;
    seconds.push(now);
    bytes.push(this.phases.get('transfer')?.done ?? this.phases.get('read')?.done ?? 0);
    for (const [, kind, count] of String(this.notes.get('kinds') ?? '').matchAll(/(\w+)=(\d+)/g)) {
      const counts = (kinds[kind] ??= new Array<number>(seconds.length - 1).fill(0));
      counts.push(Number(count));
    }
    if (seconds.length < mostMoments) return;
    this.momentEvery *= 2;
    for (const column of [seconds, bytes, ...Object.values(kinds)]) {
      const kept = column.filter((_value, at) => at % 2 === 0);
      column.splice(0, column.length, ...kept);
    }
  }

  private notePhase(event: PhaseProgress): void {
    const now = this.now();
    const known = this.phases.get(event.phase);
    const phase = { ...event, begun: known?.begun ?? now, heard: now, ended: event.state === 'done' ? now : undefined };
    this.phases.set(event.phase, phase);
    // How much has come in, of an amount that nobody knows, says less than how much of it was read.
    if (event.phase === 'transfer' && event.total === undefined && readingPhases.has(this.current?.phase)) return;
    if (this.current?.phase !== event.phase) this.samples = [{ at: now, done: 0 }];
    this.current = phase;
    this.samples.push({ at: now, done: event.done });
    while (this.samples.length > 2 && now - this.samples[0].at > rateWindow * 1000) this.samples.shift();
  }
}
