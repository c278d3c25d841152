import type { Command } from 'commander';
import { join } from 'node:path';
import { Engine } from '../engine/engine';
import type { PullSummary } from '../engine/exchange/pullRequest';
import { userWireSettings } from '../engine/exchange/userWireSettings';
import { defaultWireSettings } from '../engine/wire/wireSettings';
import { byteText } from './byteText';
import { collect } from './collect';
import { counted } from './counted';
import { attend } from './operation';
import { here, repositoryRoot } from './repositoryHere';

interface PullFlags {
  repository: string;
  rev?: string[];
  force?: boolean;
  json?: boolean;
}

/** Adds `pull` to the command line. */
export function addPullCommand(program: Command): void {
  program
    .command('pull')
    .description('bring a Mercurial repository up to date with another; the working copy stays as it is')
    .argument('[source]', 'address, name of a path, or bundle file; by default the path "default"')
    .option('-R, --repository <repo>', 'folder of the repository', here)
    .option('-r, --rev <rev>', 'pull only this, with its ancestors: a node, tag, branch or bookmark', collect)
    .option('-f, --force', 'pull from a repository that has nothing in common with this one, too')
    .option('--json', 'end with one JSON object on standard output')
    .action(async (source: string | undefined, { repository, rev, force, json }: PullFlags) => {
      const root = repositoryRoot(repository);
      const summary = await withEngine((engine) =>
        attend('Pulling', json !== true, (operation) =>
          engine.pull(
            { root, source, revisions: rev, mayBeUnrelated: force, settings: userWireSettings(defaultWireSettings) },
            operation,
          ),
        ),
      );
      process.stdout.write(json === true ? `${JSON.stringify(summary)}\n` : describePull(summary));
    });
}

/** Runs something with an engine that may work in this thread, as a command line does. */
export async function withEngine<T>(run: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = new Engine(join(__dirname, 'worker.js'), {
    tasksHere: async () => (await import('../engine/tasks')).tasks,
  });
  try {
    return await run(engine);
  } finally {
    await engine.dispose();
  }
}

/** What a pull did, in lines for people. */
export function describePull(summary: PullSummary): string {
  const { changesets, files, fileRevisions, heads, bookmarks, markers, compression, reason } = summary;
  const lines = [
    changesets.length === 0
      ? `no new changesets from ${summary.source}`
      : `${counted(changesets.length, 'changesets')} with ${counted(fileRevisions, 'revisions')} of ${counted(files, 'files')} from ${summary.source}`,
    ...(heads > 0 ? [counted(heads, 'more heads')] : []),
    ...bookmarks.added.map((name) => `bookmark ${name} added`),
    ...bookmarks.moved.map((name) => `bookmark ${name} moved`),
    ...bookmarks.diverged.map((name) => `bookmark ${name} diverged: theirs is kept under this name`),
    ...(markers > 0 ? [counted(markers, 'obsolescence markers')] : []),
    ...(summary.phasesChanged && changesets.length === 0 ? ['phases changed'] : []),
    `${summary.format}, ${byteText(summary.bytesOnWire)}, ${compression} (${reason})`,
    ...summary.warnings.map((warning) => `warning: ${warning}`),
  ];
  return `${lines.join('\n')}\n`;
}
