import { l10n } from 'vscode';
import type { TransferFigure, TransferSnapshot } from '../../protocol/transferReport';
import type { Transfer } from '../transfers/transfer';
import { phaseLine, progressLine, termsLine } from '../transfers/transferWords';
import { bytesInWords, phaseInWords, secondsInWords } from '../words';

/** A transfer as its report shows it. */
export function snapshotOf(transfer: Transfer): TransferSnapshot {
  const { id, title, source, destination, state, failure, warnings, seconds, history, outcome } = transfer;
  const terms = termsLine(transfer);
  return {
    id,
    title,
    source,
    destination,
    isServed: transfer.side === 'served',
    state,
    words: stateWords(transfer),
    failure,
    warnings,
    seconds,
    phases: [...transfer.phases.values()].map((phase) => ({
      label: phaseInWords(phase.phase),
      begun: (phase.begun - transfer.begun) / 1000,
      ended: phase.ended === undefined ? undefined : (phase.ended - transfer.begun) / 1000,
      words: phaseLine(phase),
    })),
    terms: terms === undefined ? undefined : { words: terms, reason: transfer.negotiated?.reason ?? '' },
    figures: figuresOf(transfer),
    history,
    streamedObjects: outcome.streamedObjects ?? 0,
    streamed: outcome.streamed ?? [],
  };
}

function stateWords(transfer: Transfer): string {
  switch (transfer.state) {
    case 'running':
      return progressLine(transfer);
    case 'done':
      return l10n.t('Done in {0}.', secondsInWords(transfer.seconds));
    case 'failed':
      return l10n.t('Failed after {0}.', secondsInWords(transfer.seconds));
    case 'cancelled':
      return l10n.t('Cancelled after {0}.', secondsInWords(transfer.seconds));
  }
}

function figuresOf({ outcome, seconds, state, notes }: Transfer): TransferFigure[] {
  const figures: TransferFigure[] = [];
  const bytes = (label: string, value: number | undefined, description: string) => {
    if (value !== undefined) figures.push({ label, value: bytesInWords(value), description });
  };
  const { bytesOnWire, bytesOnDisk, bytesSent, bufferBytes } = outcome;
  const memory = outcome.peakMemory ?? Number(notes.get('memory') ?? NaN);
  bytes(l10n.t('Came in'), bytesOnWire, l10n.t('Bytes that were received or read.'));
  bytes(l10n.t('Sent'), bytesSent, l10n.t('Bytes that the client was sent.'));
  bytes(l10n.t('On disk'), bytesOnDisk, l10n.t('Bytes that they became in files.'));
  if (bytesOnWire !== undefined && state === 'done') {
    bytes(l10n.t('In a second'), bytesOnWire / Math.max(seconds, 0.001), l10n.t('Bytes that came in, on average.'));
  }
  bytes(l10n.t('Buffer'), bufferBytes, l10n.t('The fixed buffer that large objects go through.'));
  if (!Number.isNaN(memory)) bytes(l10n.t('Memory'), memory, l10n.t('The most memory of the whole process so far.'));
  return figures;
}
