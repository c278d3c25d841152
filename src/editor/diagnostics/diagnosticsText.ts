import type { Transfer } from '../transfers/transfer';
import { withoutSecrets } from './withoutSecrets';

/** What is gathered about this installation. */
export interface Diagnostics {
  /** Names and versions. */
  versions: Record<string, string>;
  /** Settings that are not as they come. */
  settings: Record<string, unknown>;
  transfers: readonly DiagnosedTransfer[];
  lines: readonly string[];
  /** The person's own folder, which may name them. */
  home: string;
}

export type DiagnosedTransfer = Pick<
  Transfer,
  'title' | 'source' | 'destination' | 'state' | 'seconds' | 'failure' | 'negotiated' | 'phases' | 'warnings'
>;

/** How many of the last transfers are told of. */
const mostTransfers = 10;

/**
 * Diagnostics as a text to paste into a report: no user names and passwords of addresses, no name of the home folder. In
 * English in every language, because others have to read it.
 */
export function diagnosticsText({ versions, settings, transfers, lines, home }: Diagnostics): string {
  const parts = [
    section('Versions', entries(versions)),
    section('Settings', entries(settings)),
    section('Last transfers', transfers.slice(0, mostTransfers).flatMap(transferLines)),
    section('Log', lines),
  ];
  const text = withoutSecrets(parts.join('\n\n'));
  return `${home.length > 1 ? text.replaceAll(home, '~') : text}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [`## ${title}`, '', '```', ...(lines.length > 0 ? lines : ['none']), '```'].join('\n');
}

function entries(values: Record<string, unknown>): string[] {
  return Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}

function transferLines(transfer: DiagnosedTransfer): string[] {
  const { title, source, destination, state, seconds, failure, negotiated, phases, warnings } = transfer;
  return [
    `${title}: ${state} after ${seconds.toFixed(1)} s`,
    `  from ${source}`,
    `  to ${destination}`,
    ...(negotiated === undefined ? [] : [`  negotiated ${JSON.stringify(negotiated)}`]),
    ...[...phases.values()].map(
      ({ phase, done, total, unit, begun, ended }) =>
        `  ${phase}: ${done} of ${total ?? '?'} ${unit}, ${ended === undefined ? 'unfinished' : `${((ended - begun) / 1000).toFixed(2)} s`}`,
    ),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...(failure === undefined ? [] : [`  failure: ${failure}`]),
  ];
}
