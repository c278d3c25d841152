import { Option, type Command } from 'commander';
import { join } from 'node:path';
import { compareStore, type RevlogSelection, type StoreComparison } from '../engine/compare/compareStore';
import { recommend } from '../engine/compare/recommend';
import { parsePolicy, policyNames, policyWords, type PolicyName } from '../engine/compare/policies';
import { diskBytes, type StoreShape } from '../engine/compare/storeShape';
import { WorkerPool } from '../engine/io/workerPool';
import { bytesInWords, countInWords } from '../engine/survey/words';
import type { Tasks } from '../engine/tasks';
import { attend } from './operation';
import { here, repositoryNamed } from './repositoryHere';

const slowMilliseconds = 1;

/** Which revlogs are meant, as flags. */
export interface SelectionFlags {
  changelog?: boolean;
  manifest?: boolean;
  files?: boolean;
  all?: boolean;
}

interface CompareFlags extends SelectionFlags {
  policies?: string;
  json?: boolean;
}

/** Adds `compare` to the command line. */
export function addCompareCommand(program: Command): void {
  const command = program
    .command('compare')
    .description('show what a store would be with its deltas chosen in other ways, without changing it')
    .argument('[repository]', 'a working copy, or its .hg', here);
  for (const option of selectionOptions()) command.addOption(option);
  command
    .option('--policies <names>', `separated by commas; there are ${policyNames.join(', ')}`)
    .option('--json', 'all figures as JSON')
    .action(async (named: string, flags: CompareFlags) => {
      const folder = repositoryNamed(named);
      const policies = flags.policies?.split(',').map((name) => parsePolicy(name.trim()));
      const request = { folder, selection: selectionOf(flags), policies };
      const pool = new WorkerPool<Tasks>(join(__dirname, 'worker.js'));
      try {
        const comparison = await attend(`Comparing ${folder}`, flags.json !== true, (operation) =>
          compareStore(request, operation, pool),
        );
        process.stdout.write(flags.json === true ? `${JSON.stringify(comparison)}\n` : formatComparison(comparison));
      } finally {
        await pool.dispose();
      }
    });
}

/** The flags that say which revlogs are meant. */
export function selectionOptions(): Option[] {
  const names = ['changelog', 'manifest', 'files', 'all'];
  const words = ['the changelog', 'the manifest', 'the histories of files', 'everything; this is the default'];
  return names.map((name, at) => new Option(`--${name}`, words[at]).conflicts(names.filter((other) => other !== name)));
}

/** What the flags say. */
export function selectionOf(flags: SelectionFlags): RevlogSelection {
  if (flags.changelog === true) return 'changelog';
  if (flags.manifest === true) return 'manifest';
  return flags.files === true ? 'files' : 'all';
}

function formatComparison(comparison: StoreComparison): string {
  const { root, revlogs, total, manifests, detailed } = comparison;
  const lines = [`${root}: ${countInWords(revlogs, 'revlog')}`, ''];
  lines.push(...table('all of them', total));
  if (Object.keys(manifests).length > 0) lines.push('', ...table('manifests', manifests));
  for (const { name, role, ways } of detailed) {
    if (role === 'file' && revlogs > 1 && !isSlow(ways)) continue;
    lines.push('', `${name}: milliseconds to read the last text, and a random one`);
    for (const { policy, cost } of ways) {
      if (cost === undefined) continue;
      lines.push(`${policy.padEnd(16)} ${cost.tip.toFixed(2).padStart(9)} ${cost.random.toFixed(2).padStart(9)}`);
    }
  }
  const named = Object.keys(total).filter((name): name is PolicyName => name !== 'as-is');
  lines.push('', ...named.map((name) => `${name.padEnd(16)} ${policyWords()[name]}`));
  const { verdict, reasons } = recommend(comparison);
  lines.push('', verdict, ...reasons.map((reason) => `  ${reason}`));
  return `${lines.join('\n')}\n`;
}

/** Of files that are read in no time there is nothing to tell. */
function isSlow(ways: StoreComparison['detailed'][number]['ways']): boolean {
  return ways.some(({ cost }) => (cost?.random ?? 0) >= slowMilliseconds);
}

function table(title: string, shapes: StoreComparison['total']): string[] {
  const before = shapes['as-is'];
  const heading = `${title.padEnd(16)} ${'on disk'.padStart(9)} ${'change'.padStart(8)} ${'longest'.padStart(8)} ${'mean chain'.padStart(10)}`;
  return [heading, ...Object.entries(shapes).map(([name, shape]) => tableLine(name, shape, before ?? shape))];
}

function tableLine(name: string, shape: StoreShape, before: StoreShape): string {
  const change = diskBytes(before) === 0 ? 0 : (diskBytes(shape) / diskBytes(before) - 1) * 100;
  const mean = shape.revisions === 0 ? 0 : shape.chainLinks / shape.revisions;
  return (
    `${name.padEnd(16)} ${bytesInWords(diskBytes(shape)).padStart(9)} ${`${change.toFixed(1)} %`.padStart(8)} ` +
    `${String(shape.longestChain).padStart(8)} ${mean.toFixed(1).padStart(10)}`
  );
}
