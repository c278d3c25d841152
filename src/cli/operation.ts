import { SingleBar } from 'cli-progress';
import type { Operation, PhaseProgress } from '../engine/io/operation';
import { byteText } from './byteText';
import { counted } from './counted';

/**
 * Runs an operation that is attended at a command line: Ctrl-C stops it, and its progress shows on standard error, as a
 * bar on a terminal and as a line for each phase elsewhere.
 */
export async function attend<T>(title: string, shown: boolean, run: (operation: Operation) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  const display = !shown ? undefined : process.stderr.isTTY ? new Bar(title) : new Lines();
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  try {
    return await run({
      signal: stop.signal,
      progress: (event) => event.type === 'phase' && display?.show(event),
      log: (level, message) => {
        if (level === 'warn' || level === 'error') process.stderr.write(`${message}\n`);
      },
    });
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
    display?.close();
  }
}

interface Display {
  show: (event: PhaseProgress) => void;
  close: () => void;
}

class Bar implements Display {
  private readonly bar: SingleBar;
  private phase = '';
  private begin = 0;

  constructor(title: string) {
    this.bar = new SingleBar({
      format: `${title} {bar} {percentage}% · {phase} · {amount} · {rate}`,
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      etaBuffer: 50,
    });
    this.bar.start(1, 0, { phase: 'connect', amount: '', rate: '' });
  }

  show(event: PhaseProgress): void {
    const now = performance.now();
    if (event.phase !== this.phase) {
      this.phase = event.phase;
      this.begin = now;
    }
    const perSecond = event.done / Math.max((now - this.begin) / 1000, 0.001);
    this.bar.setTotal(Math.max(event.total ?? event.done, 1));
    this.bar.update(event.total === 0 ? 1 : event.done, {
      phase: event.phase,
      amount: amountText(event),
      rate: event.unit === 'bytes' ? `${byteText(perSecond)}/s` : `${Math.round(perSecond)} ${event.unit}/s`,
    });
  }

  close(): void {
    this.bar.stop();
  }
}

class Lines implements Display {
  show(event: PhaseProgress): void {
    if (event.state === 'done') process.stderr.write(`${event.phase}: ${amountText(event)}\n`);
  }

  close(): void {
    // Nothing is drawn, so nothing is left to erase.
  }
}

function amountText({ done, unit, items }: PhaseProgress): string {
  const amount = unit === 'bytes' ? byteText(done) : counted(done, unit);
  return items === undefined ? amount : `${amount}, ${counted(items.done, items.unit)}`;
}
