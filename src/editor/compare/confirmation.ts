import { basename } from 'node:path';
import { l10n } from 'vscode';
import type { StoreComparison } from '../../engine/compare/compareStore';
import { policyKeeping, policyWords, type PolicyName } from '../../engine/compare/policies';
import { bytesInWords, secondsInWords } from '../words';

/** An optimisation that a person is asked about. */
export interface PlannedOptimization {
  root: string;
  /** What is written again: the name of the repository, or of one of its histories. */
  name: string;
  policy: PolicyName;
  /** Where one was made. */
  comparison?: StoreComparison;
  /** Bytes that are free where the store is. */
  freeBytes?: number;
}

/** What an optimisation will do, how long it takes, what it needs on the disk, and how it is undone. */
export function confirmationOf(planned: PlannedOptimization): { message: string; detail: string } {
  const { root, name, policy } = planned;
  const of = name === basename(root) ? name : l10n.t('{0} in {1}', name, basename(root));
  const message = l10n.t('Write the deltas of {0} again with “{1}”?', of, policy);
  const lines = [
    policyWords()[policy],
    l10n.t(
      'The chosen histories are written beside the old ones, every text of them is read and checked, and then they take their place under the store’s lock. hg can read the store at every moment, and no text changes.',
    ),
    ...costs(planned),
    l10n.t(
      'The old store is kept until you confirm. Until then, and as long as nothing is committed or pulled, “Undo” brings it back: in the message at the end, in the Delta chains view, or with “deltascope optimize --undo”.',
    ),
    policyKeeping()[policy] ?? '',
  ];
  return { message, detail: lines.filter(Boolean).join('\n\n') };
}

function costs({ policy, comparison, freeBytes }: PlannedOptimization): string[] {
  const { 'as-is': before, [policy]: after } = comparison?.optimized ?? {};
  const seconds = comparison?.estimates[policy];
  if (before === undefined || after === undefined || seconds === undefined) {
    return [l10n.t('How long it takes, and what it gains, is known once the choices were compared.')];
  }
  const expected = l10n.t(
    '{0} become {1}. It takes about {2}.',
    bytesInWords(before),
    bytesInWords(after),
    secondsInWords(seconds),
  );
  const room = l10n.t(
    'On the disk it needs up to {0} while it works, and {1} until you confirm.',
    bytesInWords(roomWhileWorking(after)),
    bytesInWords(after),
  );
  if (freeBytes === undefined) return [expected, room];
  const free = l10n.t('{0} are free.', bytesInWords(freeBytes));
  const tooFew =
    freeBytes < roomWhileWorking(after) ? l10n.t('That may not be enough; then everything stays as it is.') : '';
  return [expected, [room, free, tooFew].filter(Boolean).join(' ')];
}

/** What is written, and once more the form with chunks in the index that each revlog goes through. */
function roomWhileWorking(after: number): number {
  return 2 * after;
}
