import type { PhaseName } from '../../engine/io/operation';
import type { Transfer } from './transfer';

/** How much of a clone by stream is done: the transfer is most of it, the checkout the rest. */
export function shareOfStream(transfer: Transfer): number {
  const fraction = transfer.fraction ?? 0;
  if (transfer.phase?.phase === 'transfer') return 0.8 * fraction;
  return transfer.phase?.phase === 'checkout' ? 0.8 + 0.2 * fraction : 0;
}

/** Where the phases of a pull begin, as parts of the whole: how much is coming is not known before it is here. */
const begins: readonly (readonly [PhaseName, number])[] = [
  ['discover', 0.02],
  ['changelog', 0.05],
  ['manifests', 0.2],
  ['files', 0.4],
  ['checkout', 0.9],
];

/** How much of a pull is done, as far as its phases tell. */
export function shareOfPull({ phases }: Pick<Transfer, 'phases'>): number {
  // A file has its size before it is read.
  const transfer = phases.get('transfer');
  const byBytes = transfer?.total === undefined ? 0 : 0.9 * Math.min(1, transfer.done / Math.max(1, transfer.total));
  let share = byBytes;
  begins.forEach(([name, begin], at) => {
    const phase = phases.get(name);
    if (phase === undefined) return;
    const end = begins.at(at + 1)?.[1] ?? 1;
    const fraction = phase.ended === undefined ? (phase.total ? Math.min(1, phase.done / phase.total) : 0) : 1;
    share = Math.max(share, begin + (end - begin) * fraction);
  });
  return share;
}

/** How much of a check is done: the files are most of it. */
export function shareOfVerify({ phases }: Pick<Transfer, 'phases'>): number {
  const files = phases.get('files') ?? phases.get('verify');
  if (files?.total === undefined) return 0.05;
  return 0.1 + 0.9 * Math.min(1, files.done / Math.max(1, files.total));
}

/** How much of a comparison is done. */
export function shareOfCompare({ phases }: Pick<Transfer, 'phases'>): number {
  return fractionOf(phases.get('analyse'));
}

/** How much of an optimisation is done: putting the files in place takes no time beside writing them. */
export function shareOfOptimize({ phases }: Pick<Transfer, 'phases'>): number {
  return 0.95 * fractionOf(phases.get('write')) + 0.05 * fractionOf(phases.get('finish'));
}

function fractionOf(phase: { done: number; total?: number } | undefined): number {
  return phase?.total === undefined ? 0 : Math.min(1, phase.done / Math.max(1, phase.total));
}
