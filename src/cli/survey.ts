import type { Command } from 'commander';
import { join } from 'node:path';
import type { Operation } from '../engine/io/operation';
import { WorkerPool } from '../engine/io/workerPool';
import { bytesInWords, countInWords, percentInWords } from '../engine/survey/words';
import { surveyRow, type SurveyColumns } from '../engine/survey/surveyColumns';
import type { StoreSurvey } from '../engine/survey/surveyRepository';
import type { Tasks } from '../engine/tasks';
import { printFindings } from './findingLines';
import { LineOutput } from './lineOutput';
import { attend } from './operation';
import { here, repositoryNamed } from './repositoryHere';

const largestShown = 20;

/** Adds `survey` to the command line. */
export function addSurveyCommand(program: Command): void {
  program
    .command('survey')
    .description('show what the store of a repository looks like inside, and whether it is healthy')
    .argument('[repository]', 'a working copy, or its .hg', here)
    .option('--json', 'every revlog and every finding as JSON')
    .action(async (named: string, flags: { json?: boolean }) => {
      const folder = repositoryNamed(named);
      const survey = await attend(`Looking at ${folder}`, flags.json !== true, (operation) => run(folder, operation));
      const output = new LineOutput();
      if (flags.json === true) await printJson(survey, output);
      else await printTable(survey, output);
      await output.flush();
      if (flags.json !== true) printFindings(survey.findings);
      if (survey.findings.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    });
}

async function run(folder: string, operation: Operation): Promise<StoreSurvey> {
  const pool = new WorkerPool<Tasks>(join(__dirname, 'worker.js'), { limit: 1 });
  try {
    return await pool.run('surveyRepository', { folder }, operation);
  } finally {
    await pool.dispose();
  }
}

async function printJson(survey: StoreSurvey, output: LineOutput): Promise<void> {
  const { root, requirements, revlogs, findings, findingsLeftOut } = survey;
  const head = JSON.stringify({ root, requirements, findings, findingsLeftOut });
  await output.write(`${head.slice(0, -1)},"revlogs":[`);
  for (let at = 0; at < revlogs.count; at++) {
    const full = output.write(`${at === 0 ? '\n' : ',\n'}${JSON.stringify(surveyRow(revlogs, at))}`);
    if (full !== undefined) await full;
  }
  await output.write('\n]}\n');
}

async function printTable(survey: StoreSurvey, output: LineOutput): Promise<void> {
  const { revlogs, root } = survey;
  const total = (column: Float64Array) => column.reduce((sum, value) => sum + value, 0);
  await output.write(
    `${root}: ${countInWords(revlogs.count, 'revlog')}, ${bytesInWords(total(revlogs.diskBytes))} on disk for ` +
      `${bytesInWords(total(revlogs.textBytes))} of texts; about ${bytesInWords(total(revlogs.waste))} could be saved\n\n` +
      `${'on disk'.padStart(9)} ${'texts'.padStart(9)} ${'revisions'.padStart(9)} ${'longest'.padStart(7)} ` +
      `${'worst'.padStart(7)} ${'whole'.padStart(6)} ${'waste'.padStart(9)}  revlog\n`,
  );
  for (const at of largest(revlogs)) await output.write(`${tableLine(revlogs, at)}\n`);
  if (revlogs.count > largestShown) {
    await output.write(`and ${countInWords(revlogs.count - largestShown, 'smaller one')}\n`);
  }
}

function tableLine(revlogs: SurveyColumns, at: number): string {
  const row = surveyRow(revlogs, at);
  return (
    `${bytesInWords(row.diskBytes).padStart(9)} ${bytesInWords(row.textBytes).padStart(9)} ` +
    `${String(row.revisions).padStart(9)} ${String(row.longestChain).padStart(7)} ` +
    `${row.worstRatio.toFixed(2).padStart(7)} ${percentInWords(row.types.base ?? 0, row.revisions).padStart(6)} ` +
    `${bytesInWords(row.waste).padStart(9)}  ${row.name}`
  );
}

function largest(revlogs: SurveyColumns): number[] {
  return Array.from({ length: revlogs.count }, (_, at) => at)
    .sort((one, other) => revlogs.diskBytes[other] - revlogs.diskBytes[one])
    .slice(0, largestShown);
}
