/** One phase of a transfer, on a time line. */
export interface ReportedPhase {
  label: string;
  /** Seconds since the transfer began. */
  begun: number;
  ended: number | undefined;
  /** How far it is, in words. */
  words: string;
}

/** A figure at the head of the report. */
export interface TransferFigure {
  label: string;
  value: string;
  description: string;
}

/** A transfer as its report shows it, at one moment. */
export interface TransferSnapshot {
  id: number;
  title: string;
  source: string;
  destination: string;
  /** Whether a client of a served repository began it: then it is not ours to repeat. */
  isServed: boolean;
  /** Whether it was read from a file: then nothing can be done with it. */
  isSaved?: boolean;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  /** The state, and how far it is, in words. */
  words: string;
  failure: string | undefined;
  warnings: readonly string[];
  seconds: number;
  phases: ReportedPhase[];
  /** What was agreed about the form of the response, and why. */
  terms: { words: string; reason: string } | undefined;
  figures: TransferFigure[];
  /** Moments: columns of equal length. */
  history: { seconds: number[]; bytes: number[]; kinds: Record<string, number[]> };
  /** Objects that went through a fixed buffer: all that there were, and the first of them. */
  streamedObjects: number;
  streamed: readonly { name: string; kind: string; size: number; reason: string }[];
}

/** From the editor to the page. */
export interface ToTransfer {
  type: 'snapshot';
  snapshot: TransferSnapshot;
}

/** From the page to the editor. */
export type FromTransfer = { type: 'ready' } | { type: 'cancel' } | { type: 'retry' } | { type: 'reveal' };

/** What a page keeps while it is hidden. */
export interface TransferPageState {
  id: number;
}
