import { basename } from 'node:path';
import { l10n } from 'vscode';
import type { PullSummary } from '../../engine/exchange/pullRequest';
import { amountInWords, numberInWords } from '../words';

/** What a pull or a bundle brought, in a sentence or two. */
export function pullInWords({
  root,
  changesets,
  files,
  heads,
  bookmarks,
  markers,
  phasesChanged,
}: PullSummary): string {
  const name = basename(root);
  const { added, moved, diverged } = bookmarks;
  const marks = added.length + moved.length + diverged.length;
  const isNothing = changesets.length === 0 && marks === 0 && markers === 0 && !phasesChanged;
  if (isNothing) return l10n.t('{0} has everything already.', name);
  const first =
    changesets.length === 0
      ? l10n.t('No new changesets for {0}.', name)
      : changesets.length === 1
        ? l10n.t('1 new changeset in {0}, {1}.', name, amountInWords(files, 'files'))
        : l10n.t(
            '{0} new changesets in {1}, {2}.',
            numberInWords(changesets.length),
            name,
            amountInWords(files, 'files'),
          );
  return [
    first,
    ...(heads > 0 && changesets.length > 0
      ? [heads === 1 ? l10n.t('1 more head.') : l10n.t('{0} more heads.', heads)]
      : []),
    ...(marks > 0 ? [l10n.t('Bookmarks: {0}.', [...added, ...moved, ...diverged].join(', '))] : []),
    ...(changesets.length === 0 && phasesChanged ? [l10n.t('Phases changed.')] : []),
  ].join(' ');
}
