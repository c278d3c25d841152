import { Option, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { destinationError } from '../engine/io/errors';
import { unattended } from '../engine/io/operation';
import { WorkerPool } from '../engine/io/workerPool';
import { chainRow, type ChainColumns, type ChainRow } from '../engine/revlog/chainColumns';
import { chainsAsCsv, chainsAsJson } from '../engine/revlog/chainLines';
import { summarizeChains } from '../engine/revlog/chainSummary';
import { everyDetail, readChainColumns } from '../engine/revlog/readChainColumns';
import { estimateWaste } from '../engine/revlog/wasteEstimate';
import { damageFindings, revlogFindings } from '../engine/survey/revlogFindings';
import type { Finding } from '../engine/survey/finding';
import { revlogAt, revlogOf, type NamedSource } from '../engine/survey/revlogSource';
import { repositoryAt } from '../engine/survey/surveyRepository';
import type { Tasks } from '../engine/tasks';
import { printFindings } from './findingLines';
import { toFixedEven } from './fixedPoint';
import { LineOutput } from './lineOutput';
import { attend } from './operation';
import { runPackChains } from './packChains';
import { formatSummary } from './revlogSummary';
import { here, repositoryNamed } from './repositoryHere';

interface ChainFlags {
  changelog?: boolean;
  manifest?: boolean;
  file?: string;
  dir?: string;
  index?: string;
  pack?: string;
  json?: boolean;
  csv?: boolean;
  summary?: boolean;
  verify?: boolean;
}

const choices = ['changelog', 'manifest', 'file', 'dir', 'index', 'pack'];

/** Adds `chains` to the command line. */
export function addChainsCommand(program: Command): void {
  const one = (flags: string, description: string, name: string) =>
    new Option(flags, description).conflicts(choices.filter((other) => other !== name));
  program
    .command('chains')
    .description('show how the revisions of a history are stored as deltas')
    .argument('[repository]', 'a working copy, or its .hg', here)
    .addOption(one('--changelog', 'of the changelog', 'changelog'))
    .addOption(
      one('--manifest', 'of the manifest; this is what is shown unless something else is asked for', 'manifest'),
    )
    .addOption(one('--file <name>', 'of a tracked file, named from the root', 'file'))
    .addOption(one('--dir <name>', 'of the manifest of a folder, in repositories with tree manifests', 'dir'))
    .addOption(one('--index <file>', 'of a revlog index, wherever it is', 'index'))
    .addOption(one('--pack <file>', 'of a Git pack', 'pack'))
    .addOption(new Option('--json', 'every column as JSON, named as by hg debugdeltachain').conflicts('csv'))
    .addOption(new Option('--csv', 'every column as comma-separated values'))
    .addOption(new Option('--summary', 'in numbers, as hg debugrevlog does, with findings').conflicts('csv'))
    .option('--verify', 'read every text too, and check it against its hash')
    .action(async (named: string, flags: ChainFlags) => {
      const folder = repositoryNamed(named);
      if (flags.pack === undefined) await runChains(folder, flags);
      else await runPackChains(flags.pack, flags);
    });
}

/**
 * Prints the delta chains of one revlog, and what is wrong with it to standard error; damage makes the exit code 1.
 * @throws `destination` when there is no such revlog, and as `readChainColumns`
 */
async function runChains(folder: string, flags: ChainFlags): Promise<void> {
  const source = sourceFor(folder, flags);
  const reading = readChainColumns(source, everyDetail, unattended);
  const { columns, faults, faultCounts } = reading;
  const output = new LineOutput();
  const findings = damageFindings(source.name, faults, faultCounts);
  if (flags.verify === true && !faults.some(({ kind }) => kind === 'noChunks'))
    findings.push(...(await verifyTexts(source)));
  if (flags.summary === true) {
    const summary = summarizeChains(columns);
    const waste = estimateWaste(columns);
    const costs = revlogFindings({ name: source.name, columns, summary, waste, faults: [], faultCounts: {} });
    const json = { summary, waste, findings: [...findings, ...costs] };
    await output.write(flags.json === true ? `${JSON.stringify(json)}\n` : formatSummary(summary));
    await output.flush();
    printFindings(flags.json === true ? [] : [...findings, ...costs]);
  } else {
    await printRows(columns, flags, output);
    printFindings(findings);
  }
  if (findings.some(({ severity }) => severity === 'error')) process.exitCode = 1;
}

function sourceFor(folder: string, flags: ChainFlags): NamedSource {
  if (flags.index !== undefined) {
    if (!existsSync(flags.index)) throw destinationError(`${flags.index} does not exist.`, { subject: flags.index });
    return revlogAt(flags.index);
  }
  const repository = repositoryAt(folder);
  if (flags.file !== undefined) return revlogOf(repository, { role: 'file', name: flags.file });
  if (flags.dir !== undefined) return revlogOf(repository, { role: 'tree', name: flags.dir });
  return revlogOf(repository, { role: flags.changelog === true ? 'changelog' : 'manifest' });
}

/** In a worker, since every text takes its time: there it can be stopped, and tells how it goes. */
async function verifyTexts(source: NamedSource): Promise<Finding[]> {
  const pool = new WorkerPool<Tasks>(join(__dirname, 'worker.js'), { limit: 1 });
  try {
    const { faults, faultCounts } = await attend('Checking texts', true, (operation) =>
      pool.run('checkRevlogTexts', { source }, operation),
    );
    return damageFindings(source.name, faults, faultCounts);
  } finally {
    await pool.dispose();
  }
}

async function printRows(columns: ChainColumns, flags: ChainFlags, output: LineOutput): Promise<void> {
  if (flags.json === true) await print(chainsAsJson(columns), output);
  else if (flags.csv === true) await print(chainsAsCsv(columns), output);
  else await printTable(columns, output);
  await output.flush();
}

async function print(lines: Iterable<string>, output: LineOutput): Promise<void> {
  for (const line of lines) {
    const full = output.write(line);
    if (full !== undefined) await full;
  }
}

/** Heading, column and width, as `hg debugdeltachain` prints them. */
const tableColumns: [string, keyof ChainRow, number][] = [
  ['rev', 'rev', 7],
  ['p1', 'p1', 7],
  ['p2', 'p2', 7],
  ['chain#', 'chainid', 7],
  ['chainlen', 'chainlen', 8],
  ['prev', 'prevrev', 8],
  ['delta', 'deltatype', 7],
  ['size', 'compsize', 10],
  ['rawsize', 'uncompsize', 10],
  ['chainsize', 'chainsize', 10],
  ['ratio', 'chainratio', 9],
  ['lindist', 'lindist', 9],
  ['extradist', 'extradist', 9],
  ['extraratio', 'extraratio', 10],
  ['readsize', 'readsize', 10],
  ['largestblk', 'largestblock', 10],
  ['rddensity', 'readdensity', 9],
  ['srchunks', 'srchunks', 8],
];
const fractions: ReadonlySet<keyof ChainRow> = new Set(['chainratio', 'extraratio', 'readdensity'] as const);

async function printTable(columns: ChainColumns, output: LineOutput): Promise<void> {
  const shown = columns.sparse === undefined ? tableColumns.slice(0, -4) : tableColumns;
  await output.write(`${shown.map(([heading, , width]) => heading.padStart(width)).join(' ')}\n`);
  for (let rev = 0; rev < columns.count; rev++) {
    const row = chainRow(columns, rev);
    const cells = shown.map(([, name, width]) => {
      const value = row[name];
      return (fractions.has(name) ? toFixedEven(Number(value), 5) : String(value)).padStart(width);
    });
    const full = output.write(`${cells.join(' ')}\n`);
    if (full !== undefined) await full;
  }
}
