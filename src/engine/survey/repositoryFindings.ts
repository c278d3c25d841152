import * as l10n from '@vscode/l10n';
import type { RepositoryFolders } from '../store/repositoryFolders';
import type { Finding } from './finding';
import type { StoreListing } from './storeRevlogs';
import type { SurveyColumns } from './surveyColumns';
import { bytesInWords, numberInWords, percentInWords } from './words';

const notableBytes = 10_000_000;
const upgrade = () => l10n.t('Run "hg debugupgraderepo" to see what it would do, and again with "--run" to do it.');

/** What there is to say of the store as a whole. */
export function repositoryFindings(
  repository: RepositoryFolders,
  listing: StoreListing,
  revlogs: SurveyColumns,
): Finding[] {
  const { requirements } = repository;
  const findings: Finding[] = [];
  if (listing.problem !== undefined) {
    findings.push({
      severity: 'error',
      message: l10n.t('{0} The folders of the store were searched instead.', listing.problem),
      nextStep: l10n.t('Run "hg debugrebuildfncache".'),
    });
  }
  const bytes = sum(revlogs.diskBytes);
  const waste = sum(revlogs.waste);
  const unreadable = revlogs.faults.filter((count) => count < 0).length;
  if (unreadable > 0) {
    findings.push({
      severity: 'error',
      message:
        unreadable === 1
          ? l10n.t('1 revlog of {0} could not be read.', numberInWords(revlogs.count))
          : l10n.t('{0} revlogs of {1} could not be read.', numberInWords(unreadable), numberInWords(revlogs.count)),
      nextStep: l10n.t('Run "hg verify".'),
    });
  }
  if (!requirements.has('generaldelta')) {
    findings.push({
      severity: 'warning',
      message: l10n.t(
        'The store has the format from before 2011, in which deltas can only be against the revision before.',
      ),
      nextStep: upgrade(),
    });
  } else if (!requirements.has('sparserevlog')) {
    findings.push({
      severity: 'info',
      message: l10n.t(
        'The store does not have sparse-revlog, with which chains are shorter and histories with many branches smaller.',
      ),
      nextStep: upgrade(),
    });
  }
  if (!requirements.has('revlog-compression-zstd') && bytes >= notableBytes) {
    findings.push({
      severity: 'info',
      message: l10n.t('New revisions are compressed with zlib; zstd is several times quicker to read and write.'),
      nextStep: l10n.t('Run "hg debugupgraderepo --config format.revlog-compression=zstd" to see what it would do.'),
    });
  }
  if (waste >= notableBytes && waste > bytes / 10) {
    findings.push({
      severity: 'warning',
      message: l10n.t(
        'Writing the deltas of the store again would probably save {0} of {1}, {2}.',
        bytesInWords(waste),
        bytesInWords(bytes),
        percentInWords(waste, bytes),
      ),
      nextStep: l10n.t('Compare delta choices ("deltascope compare") to see what would be gained.'),
    });
  }
  return findings;
}

function sum(column: Float64Array): number {
  return column.reduce((total, value) => total + value, 0);
}
