import { basename, dirname, resolve } from 'node:path';
import { throwIfCancelled, type Operation } from '../io/operation';
import { locateRepository, type RepositoryFolders } from '../store/repositoryFolders';
import { bySeverity, type Finding } from './finding';
import { repositoryFindings } from './repositoryFindings';
import { listRevlogs, storeRevlog } from './storeRevlogs';
import { newSurveyColumns, type SurveyColumns } from './surveyColumns';
import { surveyRevlog } from './surveyRevlog';

/** More findings than anybody reads; what comes after is counted. */
const mostFindings = 2000;
const revlogsBetweenReports = 64;

/** What a store looks like inside. */
export interface StoreSurvey {
  root: string;
  requirements: string[];
  revlogs: SurveyColumns;
  /** The gravest first. */
  findings: Finding[];
  /** Findings that are not in the list, which has an end. */
  findingsLeftOut: number;
}

/** The repository of a working copy, or of its `.hg`. @throws as `locateRepository` */
export function repositoryAt(folder: string): RepositoryFolders {
  const path = resolve(folder);
  return locateRepository(basename(path) === '.hg' ? dirname(path) : path);
}

/**
 * Measures every revlog of a repository, from their indexes and the beginnings of their chunks. A damaged one becomes
 * findings, and the others are measured all the same.
 *
 * @param folder the working copy, or its `.hg`
 * @throws `destination` when there is no repository, `cancelled`, `unsupported` for layouts without a store
 */
export function surveyRepository(folder: string, operation: Operation): StoreSurvey {
  const repository = repositoryAt(folder);
  const listing = listRevlogs(repository, operation);
  const total = listing.names.length;
  const revlogs = newSurveyColumns(total);
  const isSparse = repository.requirements.has('sparserevlog');
  // The progress of a single revlog is of no interest among thousands, its cancellation is.
  const quiet: Operation = { ...operation, signal: operation.signal, progress: () => undefined };
  const findings: Finding[] = [];
  let leftOut = 0;
  let bytes = 0;
  for (let at = 0; at < total; at++) {
    if (at % revlogsBetweenReports === 0) {
      throwIfCancelled(operation);
      operation.progress({ type: 'phase', phase: 'analyse', state: 'running', done: at, total, unit: 'files', bytes });
    }
    for (const finding of surveyRevlog(storeRevlog(repository, listing, at), isSparse, revlogs, at, quiet)) {
      if (findings.length < mostFindings) findings.push(finding);
      else leftOut++;
    }
    bytes += revlogs.diskBytes[at];
  }
  operation.progress({ type: 'phase', phase: 'analyse', state: 'done', done: total, total, unit: 'files', bytes });
  findings.unshift(...repositoryFindings(repository, listing, revlogs));
  return {
    root: repository.root,
    requirements: [...repository.requirements].sort(),
    revlogs,
    findings: bySeverity(findings),
    findingsLeftOut: leftOut,
  };
}
