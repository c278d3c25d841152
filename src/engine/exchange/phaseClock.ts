import type { NegotiationProgress, Operation, PhaseName, PhaseProgress, ProgressEvent } from '../io/operation';
import type { PhaseSummary } from './cloneRequest';

/** Watches an operation's progress go by, and keeps what the summary needs: phases with their seconds, and the terms. */
export class PhaseClock {
  private readonly started = new Map<PhaseName, number>();
  private readonly summaries = new Map<PhaseName, PhaseSummary>();
  negotiated: NegotiationProgress | undefined;

  /** The same operation, watched. */
  watch(operation: Operation): Operation {
    return {
      signal: operation.signal,
      log: operation.log,
      progress: (event) => {
        this.note(event);
        operation.progress(event);
      },
    };
  }

  get phases(): PhaseSummary[] {
    return [...this.summaries.values()];
  }

  private note(event: ProgressEvent): void {
    if (event.type === 'negotiated') this.negotiated = event;
    if (event.type === 'phase') this.notePhase(event);
  }

  private notePhase({ phase, done, unit, bytes }: PhaseProgress): void {
    const now = performance.now();
    const begin = this.started.get(phase) ?? now;
    this.started.set(phase, begin);
    this.summaries.set(phase, { phase, seconds: (now - begin) / 1000, done, unit, bytes });
  }
}
