import type { Command } from 'commander';
import { resolve } from 'node:path';
import { attend } from './operation';
import { here, repositoryRoot } from './repositoryHere';
import { describePull, withEngine } from './pull';

/** Adds `unbundle` to the command line. */
export function addUnbundleCommand(program: Command): void {
  program
    .command('unbundle')
    .description('add the changesets of a bundle file to a Mercurial repository')
    .argument('<bundle>', 'bundle file, as "hg bundle" makes it')
    .option('-R, --repository <repo>', 'folder of the repository', here)
    .option('--json', 'end with one JSON object on standard output')
    .action(async (bundle: string, { repository, json }: { repository: string; json?: boolean }) => {
      const summary = await withEngine((engine) =>
        attend('Unbundling', json !== true, (operation) =>
          engine.unbundle({ root: repositoryRoot(repository), bundle: resolve(bundle) }, operation),
        ),
      );
      process.stdout.write(json === true ? `${JSON.stringify(summary)}\n` : describePull(summary));
    });
}
