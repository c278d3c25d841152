import type { Command } from 'commander';
import type { VerifySummary } from '../engine/verify/verifyRepository';
import { counted } from './counted';
import { attend } from './operation';
import { here, repositoryRoot } from './repositoryHere';
import { withEngine } from './pull';

/** Adds `verify` to the command line. */
export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('check every text of a Mercurial repository; exit code 1 when something is wrong')
    .argument('[repo]', 'folder of the repository', here)
    .option('--json', 'end with one JSON object on standard output')
    .action(async (repo: string, { json }: { json?: boolean }) => {
      const summary = await withEngine((engine) =>
        attend('Verifying', json !== true, (operation) => engine.verify(repositoryRoot(repo), operation)),
      );
      process.stdout.write(json === true ? `${JSON.stringify(summary)}\n` : describe(summary));
      if (summary.faultCount > 0) process.exitCode = 1;
    });
}

function describe({ changesets, manifests, files, fileRevisions, faults, faultCount }: VerifySummary): string {
  const lines = [
    ...faults.map(({ history, message }) => `${Buffer.from(history, 'latin1').toString()}: ${message}`),
    ...(faultCount > faults.length ? [`and ${faultCount - faults.length} more`] : []),
    `checked ${counted(changesets, 'changesets')}, ${counted(manifests, 'manifests')}, ${counted(fileRevisions, 'revisions')} of ${counted(files, 'files')}`,
    faultCount === 0 ? 'nothing is wrong' : counted(faultCount, 'faults'),
  ];
  return `${lines.join('\n')}\n`;
}
