import type { Command } from 'commander';
import type { ChangesetWords } from '../engine/exchange/changesetWords';
import type { IncomingSummary } from '../engine/exchange/incoming';
import { userWireSettings } from '../engine/exchange/userWireSettings';
import { defaultWireSettings } from '../engine/wire/wireSettings';
import { collect } from './collect';
import { attend } from './operation';
import { here, repositoryRoot } from './repositoryHere';
import { withEngine } from './pull';

/** Adds `incoming` to the command line. */
export function addIncomingCommand(program: Command): void {
  program
    .command('incoming')
    .description('show what a pull would bring, without writing anything; exit code 1 when that is nothing')
    .argument('[source]', 'address, name of a path, or bundle file; by default the path "default"')
    .option('-R, --repository <repo>', 'folder of the repository', here)
    .option('-r, --rev <rev>', 'only this, with its ancestors: a node, tag, branch or bookmark', collect)
    .option('--json', 'end with one JSON object on standard output')
    .action(
      async (
        source: string | undefined,
        { repository, rev, json }: { repository: string; rev?: string[]; json?: boolean },
      ) => {
        const request = {
          root: repositoryRoot(repository),
          source,
          revisions: rev,
          settings: userWireSettings(defaultWireSettings),
        };
        const summary = await withEngine((engine) =>
          attend('Asking', json !== true, (operation) => engine.incoming(request, operation)),
        );
        const { changesets } = summary;
        process.stdout.write(json === true ? `${JSON.stringify(summary)}\n` : describeAll(summary));
        if (changesets.length === 0) process.exitCode = 1;
      },
    );
}

function describeAll({ changesets, source }: IncomingSummary): string {
  return changesets.length === 0 ? `no new changesets at ${source}\n` : changesets.map(describe).join('\n');
}

function describe({ node, branch, user, date, files, description }: ChangesetWords): string {
  const [summary] = description.split('\n');
  return [
    `changeset: ${node}`,
    ...(branch === 'default' ? [] : [`branch:    ${branch}`]),
    `user:      ${user}`,
    `date:      ${new Date(date.seconds * 1000).toISOString()}`,
    `files:     ${files.length}`,
    `summary:   ${summary}`,
    '',
  ].join('\n');
}
