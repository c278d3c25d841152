import { Option, type Command } from 'commander';
import { join } from 'node:path';
import { compareStore } from '../engine/compare/compareStore';
import { parsePolicy, policyNames } from '../engine/compare/policies';
import type { Operation } from '../engine/io/operation';
import { WorkerPool } from '../engine/io/workerPool';
import {
  confirmOptimize,
  finishOptimize,
  optimizeStore,
  undoOptimize,
  type OptimizeRequest,
} from '../engine/optimize/optimizeStore';
import { bytesInWords, countInWords } from '../engine/survey/words';
import type { Tasks } from '../engine/tasks';
import { selectionOf, selectionOptions, type SelectionFlags } from './compare';
import { attend } from './operation';
import { here, repositoryNamed } from './repositoryHere';

interface OptimizeFlags extends SelectionFlags {
  policy: string;
  dryRun?: boolean;
  json?: boolean;
  undo?: boolean;
  confirm?: boolean;
  finish?: boolean;
}

const ends = ['undo', 'confirm', 'finish'];

/** Adds `optimize` to the command line. */
export function addOptimizeCommand(program: Command): void {
  const end = (flags: string, description: string, name: string) =>
    new Option(flags, description).conflicts([...ends.filter((other) => other !== name), 'dryRun']);
  const command = program
    .command('optimize')
    .description('write the store of a repository again with its deltas chosen anew; every text stays as it is')
    .argument('[repository]', 'a working copy, or its .hg', here);
  for (const option of selectionOptions()) command.addOption(option);
  command
    .option('--policy <name>', `one of ${policyNames.join(', ')}`, 'both-parents')
    .option('--dry-run', 'only tell what it would come to')
    .addOption(end('--confirm', 'delete the old store, which is kept until then', 'confirm'))
    .addOption(end('--undo', 'bring the old store back', 'undo'))
    .addOption(end('--finish', 'go on with what was broken off', 'finish'))
    .option('--json', 'figures as JSON')
    .action(async (named: string, flags: OptimizeFlags) => {
      const folder = repositoryNamed(named);
      const policy = parsePolicy(flags.policy);
      const request = { folder, selection: selectionOf(flags), policy };
      const text = await attend(`Optimizing ${folder}`, flags.json !== true, (operation) =>
        act(request, flags, operation),
      );
      process.stdout.write(text);
    });
}

async function act(request: OptimizeRequest, flags: OptimizeFlags, operation: Operation): Promise<string> {
  const { folder } = request;
  const told = (json: object, words: string) => (flags.json === true ? `${JSON.stringify(json)}\n` : `${words}\n`);
  if (flags.undo === true) {
    await undoOptimize(folder, operation);
    return told({ undone: true }, 'The old store is back.');
  }
  if (flags.confirm === true) {
    await confirmOptimize(folder, operation);
    return told({ confirmed: true }, 'The old store is deleted.');
  }
  if (flags.finish === true) {
    const finished = await finishOptimize(folder, operation);
    return told({ finished }, finished ? 'Nothing is left half done.' : 'There was nothing to finish.');
  }
  const pool = new WorkerPool<Tasks>(join(__dirname, 'worker.js'));
  try {
    if (flags.dryRun === true) return await predict(request, operation, pool, told);
    const summary = await optimizeStore(request, operation, pool);
    const { before, after, replaced, tooLarge, leftAlone } = summary;
    const notes = [
      `${bytesInWords(before)} became ${bytesInWords(after)}; ${countInWords(replaced, 'revlog')} replaced.`,
      ...(tooLarge > 0 ? [`${countInWords(tooLarge, 'revlog')} too large to be replaced in use.`] : []),
      ...(leftAlone > 0 ? [`${countInWords(leftAlone, 'revlog')} written to meanwhile, and left alone.`] : []),
      ...(replaced > 0 ? ['The old store is kept: --confirm deletes it, --undo brings it back.'] : []),
    ];
    return told(summary, notes.join('\n'));
  } finally {
    await pool.dispose();
  }
}

async function predict(
  { folder, selection, policy }: OptimizeRequest,
  operation: Operation,
  pool: WorkerPool<Tasks>,
  told: (json: object, words: string) => string,
): Promise<string> {
  const comparison = await compareStore({ folder, selection, policies: [policy] }, operation, pool);
  const { optimized, revlogs, tooLarge } = comparison;
  const { 'as-is': before = 0, [policy]: after = 0 } = optimized;
  const notes = [
    `${bytesInWords(before)} would become ${bytesInWords(after)}.`,
    ...(tooLarge > 0 ? [`${countInWords(tooLarge, 'revlog')} too large to be replaced in use.`] : []),
  ];
  return told({ policy, revlogs, before, after, tooLarge }, notes.join('\n'));
}
