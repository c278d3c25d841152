import * as l10n from '@vscode/l10n';
import { statSync } from 'node:fs';
import { chunkKinds } from '../compression/block';
import { EngineError } from '../io/errors';
import type { Operation } from '../io/operation';
import { deltaTypes, type ChainColumns } from '../revlog/chainColumns';
import { summarizeChains } from '../revlog/chainSummary';
import { chunkPathOf, readChainColumns, type ChainReading } from '../revlog/readChainColumns';
import { estimateWaste } from '../revlog/wasteEstimate';
import type { Finding } from './finding';
import { revlogFindings } from './revlogFindings';
import { revlogRoles, type StoreRevlog } from './storeRevlogs';
import type { SurveyColumns } from './surveyColumns';

/** Looking at the beginning of each chunk takes reading the file; beyond this many bytes some have to do. */
const readThrough = 64 << 20;
const notableText = 1000;

/**
 * Measures one revlog, into row `at`. One that cannot be read becomes a finding, as does all else that is notable.
 * @throws `cancelled`
 */
export function surveyRevlog(
  revlog: StoreRevlog,
  isSparse: boolean,
  survey: SurveyColumns,
  at: number,
  operation: Operation,
): Finding[] {
  survey.names[at] = revlog.name;
  survey.paths[at] = revlog.path;
  survey.chunkPaths[at] = revlog.chunkPath === chunkPathOf({ path: revlog.path }) ? undefined : revlog.chunkPath;
  survey.roles[at] = revlogRoles.indexOf(revlog.role);
  survey.diskBytes[at] = sizeOf(revlog.path);
  let reading: ChainReading;
  try {
    const chunkFileBytes = survey.diskBytes[at] === 0 ? 0 : sizeOf(revlog.chunkPath);
    survey.diskBytes[at] += chunkFileBytes;
    const detail = { kinds: chunkFileBytes <= readThrough ? 'all' : 'some', withSparse: false } as const;
    reading = readChainColumns({ ...revlog, isSparse }, detail, operation);
  } catch (error) {
    if (error instanceof EngineError && error.kind === 'cancelled') throw error;
    survey.faults[at] = -1;
    return [unreadable(revlog, error)];
  }
  const { columns, faults, faultCounts } = reading;
  const summary = summarizeChains(columns);
  const waste = estimateWaste(columns);
  survey.revisions[at] = columns.count;
  survey.chunkBytes[at] = columns.chunkBytes;
  survey.textBytes[at] = summary.textBytes;
  survey.longestChains[at] = summary.longestChain;
  survey.worstRatios[at] = worstRatio(columns);
  survey.waste[at] = waste.total;
  survey.faults[at] = Object.values(faultCounts).reduce((sum, count) => sum + count, 0);
  deltaTypes.forEach((type, position) => {
    survey.typeCounts[at * deltaTypes.length + position] = summary.types[type]?.revisions ?? 0;
  });
  addKindBytes(columns, survey, at);
  return revlogFindings({ name: revlog.name, columns, summary, waste, faults, faultCounts });
}

function unreadable(revlog: StoreRevlog, error: unknown): Finding {
  const isOurs = error instanceof EngineError;
  const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const said = error instanceof Error ? error.message : String(error);
  return {
    severity: 'error',
    revlog: revlog.name,
    message: isGone
      ? l10n.t('Its index is missing: {0}.', revlog.path)
      : isOurs
        ? said
        : l10n.t('Its index cannot be read: {0}.', said),
    nextStep: isGone
      ? l10n.t('Run "hg verify"; "hg debugrebuildfncache" mends the list of files when the file was never there.')
      : ((isOurs ? error.advice : undefined) ?? l10n.t('Check the file and its permissions, then run "hg verify".')),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function worstRatio({ count, chainSizes, textLengths }: ChainColumns): number {
  let worst = 0;
  for (let rev = 0; rev < count; rev++) {
    if (textLengths[rev] >= notableText) worst = Math.max(worst, chainSizes[rev] / textLengths[rev]);
  }
  return worst;
}

/** Of a sample, the bytes stand for those of all chunks. */
function addKindBytes(
  { count, chunkBytes, chunkLengths, kinds }: ChainColumns,
  survey: SurveyColumns,
  at: number,
): void {
  if (kinds === undefined) return;
  const unseen = chunkKinds.indexOf('unseen');
  const first = at * chunkKinds.length;
  let seen = 0;
  for (let rev = 0; rev < count; rev++) {
    if (kinds[rev] === unseen) continue;
    survey.kindBytes[first + kinds[rev]] += chunkLengths[rev];
    seen += chunkLengths[rev];
  }
  if (seen === 0 || seen === chunkBytes) return;
  for (let kind = 0; kind < chunkKinds.length; kind++) {
    survey.kindBytes[first + kind] = Math.round((survey.kindBytes[first + kind] / seen) * chunkBytes);
  }
}
