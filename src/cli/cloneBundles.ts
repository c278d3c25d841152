import type { Command } from 'commander';
import { resolve } from 'node:path';
import { describeBundle } from './bundle';
import { collect } from './collect';
import { attend } from './operation';
import { withEngine } from './pull';

interface CloneBundlesFlags {
  baseUrl?: string;
  type?: string[];
  install?: boolean;
  json?: boolean;
}

/** Adds `clone-bundles` to the command line. */
export function addCloneBundlesCommand(program: Command): void {
  program
    .command('clone-bundles')
    .description('write bundles for those who clone a repository, and the list that names them')
    .argument('<repo>', 'folder of the repository')
    .argument('<folder>', 'where they are written to')
    .option('--base-url <url>', 'where that folder is reached by clients; by default its own address on this machine')
    .option('-t, --type <spec>', 'what is written, best first; by default a stream, and compressed changesets', collect)
    .option('--install', 'name them in the repository too, so that servers do')
    .option('--json', 'end with one JSON object on standard output')
    .action(async (repo: string, folder: string, { baseUrl, type, install, json }: CloneBundlesFlags) => {
      const request = {
        root: resolve(repo),
        folder: resolve(folder),
        baseUrl,
        types: type,
        isInstalled: install === true,
      };
      const written = await withEngine((engine) =>
        attend('Bundling', json !== true, (operation) => engine.writeCloneBundles(request, operation)),
      );
      const lines = [...written.bundles.map(describeBundle), `named in ${written.manifest}`];
      process.stdout.write(json === true ? `${JSON.stringify(written)}\n` : `${lines.join('\n')}\n`);
    });
}
