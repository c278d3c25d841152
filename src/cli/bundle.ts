import type { Command } from 'commander';
import { resolve } from 'node:path';
import { writableEngines } from '../engine/compression/stream';
import type { WrittenBundle } from '../engine/server/writeBundle';
import { byteText } from './byteText';
import { collect } from './collect';
import { attend } from './operation';
import { withEngine } from './pull';

interface BundleFlags {
  type: string;
  rev?: string[];
  base?: string[];
  json?: boolean;
}

/** Adds `bundle` to the command line. */
export function addBundleCommand(program: Command): void {
  program
    .command('bundle')
    .description('write changesets, or a whole store as a stream, to a bundle file')
    .argument('<repo>', 'folder of the repository')
    .argument('<file>', 'bundle file; what is there is replaced')
    .option(
      '-t, --type <spec>',
      'such as gzip-v2, zstd-v2, none-v1, none-packed1 or "none-v2;stream=v2"',
      writableEngines.includes('zstd') ? 'zstd-v2' : 'gzip-v2',
    )
    .option('-r, --rev <rev>', 'only this, with its ancestors: a node, tag, branch or bookmark', collect)
    .option('--base <rev>', 'without this and its ancestors', collect)
    .option('--json', 'end with one JSON object on standard output')
    .action(async (repo: string, file: string, { type, rev, base, json }: BundleFlags) => {
      const request = { root: resolve(repo), file: resolve(file), type, revisions: rev, bases: base };
      const written = await withEngine((engine) =>
        attend('Bundling', json !== true, (operation) => engine.writeBundle(request, operation)),
      );
      process.stdout.write(json === true ? `${JSON.stringify(written)}\n` : `${describeBundle(written)}\n`);
    });
}

/** What was written, in a line for people. */
export function describeBundle({ file, format, size, changesets, files }: WrittenBundle): string {
  const what = changesets === undefined ? `${files ?? 0} store files` : `${changesets} changesets`;
  return `${what} in ${file}: ${format}, ${byteText(size)}`;
}
