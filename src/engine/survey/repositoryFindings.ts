import type { RepositoryFolders } from '../store/repositoryFolders';
import type { Finding } from './finding';
import type { StoreListing } from './storeRevlogs';
import type { SurveyColumns } from './surveyColumns';
import { bytesInWords, countInWords, percentInWords } from './words';

const notableBytes = 10_000_000;
const upgrade = 'Run "hg debugupgraderepo" to see what it would do, and again with "--run" to do it.';

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
      message: `${listing.problem} The folders of the store were searched instead.`,
      nextStep: 'Run "hg debugrebuildfncache".',
    });
  }
  const bytes = sum(revlogs.diskBytes);
  const waste = sum(revlogs.waste);
  const unreadable = revlogs.faults.filter((count) => count < 0).length;
  if (unreadable > 0) {
    findings.push({
      severity: 'error',
      message: `${countInWords(unreadable, 'revlog')} of ${revlogs.count.toLocaleString('en-US')} could not be read.`,
      nextStep: 'Run "hg verify".',
    });
  }
  if (!requirements.has('generaldelta')) {
    findings.push({
      severity: 'warning',
      message: 'The store has the format from before 2011, in which deltas can only be against the revision before.',
      nextStep: upgrade,
    });
  } else if (!requirements.has('sparserevlog')) {
    findings.push({
      severity: 'info',
      message:
        'The store does not have sparse-revlog, with which chains are shorter and histories with many branches smaller.',
      nextStep: upgrade,
    });
  }
  if (!requirements.has('revlog-compression-zstd') && bytes >= notableBytes) {
    findings.push({
      severity: 'info',
      message: 'New revisions are compressed with zlib; zstd is several times quicker to read and write.',
      nextStep: 'Run "hg debugupgraderepo --config format.revlog-compression=zstd" to see what it would do.',
    });
  }
  if (waste >= notableBytes && waste > bytes / 10) {
    findings.push({
      severity: 'warning',
      message:
        `Writing the deltas of the store again would probably save ${bytesInWords(waste)} of ${bytesInWords(bytes)}, ` +
        `${percentInWords(waste, bytes)}.`,
      nextStep: 'Compare delta choices ("deltascope compare") to see what would be gained.',
    });
  }
  return findings;
}

function sum(column: Float64Array): number {
  return column.reduce((total, value) => total + value, 0);
}
