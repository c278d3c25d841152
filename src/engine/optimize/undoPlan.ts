import * as l10n from '@vscode/l10n';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { destinationError } from '../io/errors';
import type { RepositoryFolders } from '../store/repositoryFolders';
import type { OptimizeFolders, Plan } from './plan';
import { writeInlineForm } from './inlineForm';
import { isMarked, markOf, stagedFiles, type Replacement } from './stagedFiles';

/**
 * The plan that brings kept revlogs back, with copies of them staged: the kept ones stay until it is carried out.
 * @throws `destination` when something was written to one of the new revlogs, which would be lost
 */
export function undoPlan(plan: Plan, { root, store }: RepositoryFolders, folders: OptimizeFolders): Plan {
  for (const replacement of plan.replacements) {
    const isKept = existsSync(stagedFiles(folders.kept, replacement.number).index);
    if (!isKept || isMarked(join(store, replacement.index), replacement.new)) continue;
    throw destinationError(
      l10n.t('The store of {0} was written to since it was optimized, and cannot be taken back.', root),
      {
        subject: replacement.index,
        advice: l10n.t('Confirm the optimisation: every text is what it was before.'),
      },
    );
  }
  rmSync(folders.staging, { recursive: true, force: true });
  mkdirSync(folders.staging, { recursive: true });
  const replacements = plan.replacements
    .filter(({ number }) => existsSync(stagedFiles(folders.kept, number).index))
    .map((replacement) => stage(replacement, folders));
  return { ...plan, direction: 'back', isDone: false, before: plan.after, after: plan.before, replacements };
}

function stage(replacement: Replacement, { kept, staging }: OptimizeFolders): Replacement {
  const from = stagedFiles(kept, replacement.number);
  const to = stagedFiles(staging, replacement.number);
  copyFileSync(from.index, to.index);
  if (!replacement.isInline) {
    copyFileSync(from.chunks, to.chunks);
    writeInlineForm(to.index, to.chunks, to.inline);
  }
  const fresh = markOf(to.index);
  if (fresh === undefined) throw destinationError(l10n.t('{0} is gone.', from.index), { subject: from.index });
  return { ...replacement, old: replacement.new, new: fresh, inline: markOf(to.inline) };
}
