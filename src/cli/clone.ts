import { Option, type Command } from 'commander';
import { basename, resolve } from 'node:path';
import type { CloneSummary, WantedUpdate } from '../engine/exchange/cloneRequest';
import { destinationName } from '../engine/exchange/destinationName';
import { destinationError } from '../engine/io/errors';
import { userWireSettings } from '../engine/exchange/userWireSettings';
import { defaultWireSettings } from '../engine/wire/wireSettings';
import { byteText } from './byteText';
import { collect } from './collect';
import { counted } from './counted';
import { attend } from './operation';
import { withEngine } from './pull';

interface CloneFlags {
  stream?: boolean;
  pull?: boolean;
  noupdate?: boolean;
  rev?: string[];
  updaterev?: string;
  json?: boolean;
}

/** Adds `clone` to the command line. */
export function addCloneCommand(program: Command): void {
  program
    .command('clone')
    .description('clone a Mercurial repository')
    .argument('<url>', 'address of the repository; #BRANCH at its end chooses a branch')
    .argument('[dest]', 'folder to clone into; by default the last part of the address')
    .addOption(new Option('--stream', "copy the server's store as it is (the default)").conflicts(['pull', 'rev']))
    .option('--pull', 'pull all changesets into a new store, every text checked')
    .option('-r, --rev <rev>', 'bring only this, with its ancestors, by pull: a node, tag, branch or bookmark', collect)
    .addOption(new Option('-U, --noupdate', 'leave the working copy empty').conflicts('updaterev'))
    .option('-u, --updaterev <rev>', 'check out this revision, branch, tag or bookmark')
    .option('--json', 'end with one JSON object on standard output')
    .action(async (url: string, dest: string | undefined, flags: CloneFlags) => {
      const summary = await clone(url, dest, flags);
      process.stdout.write(flags.json === true ? `${JSON.stringify(summary)}\n` : describe(summary));
    });
}

async function clone(url: string, dest: string | undefined, flags: CloneFlags): Promise<CloneSummary> {
  const update: WantedUpdate =
    flags.noupdate === true
      ? { kind: 'none' }
      : flags.updaterev === undefined
        ? { kind: 'default' }
        : { kind: 'revision', revision: flags.updaterev };
  const destination = resolve(dest ?? nameFrom(url));
  const request = {
    source: url,
    destination,
    update,
    revisions: flags.rev,
    settings: userWireSettings(defaultWireSettings),
  };
  return withEngine((engine) =>
    attend(`Cloning ${basename(destination)}`, flags.json !== true, (operation) =>
      flags.pull === true ? engine.cloneByPull(request, operation) : engine.clone(request, operation),
    ),
  );
}

function nameFrom(url: string): string {
  const name = destinationName(url);
  if (name !== undefined) return name;
  throw destinationError('The address has no path that the clone could be named after.', {
    subject: url,
    advice: 'Name a folder after the address.',
  });
}

function describe(summary: CloneSummary): string {
  const { update, warnings, bytes, files, revisions, format, compression, reason } = summary;
  const lines = [
    `cloned ${summary.source} into ${summary.destination}`,
    `${counted(revisions, 'revisions')}, ${counted(files, 'store files')}, ${byteText(bytes)}`,
    `${format}, ${compression} (${reason})`,
    ...(update === undefined
      ? []
      : [`checked out ${update.node.slice(0, 12)} (${update.branch}), ${counted(update.files, 'files')}`]),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return `${lines.join('\n')}\n`;
}
