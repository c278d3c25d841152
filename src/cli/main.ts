import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { version } from '../../package.json';
import { EngineError } from '../engine/io/errors';

const interrupted = 130;

/** Each command is loaded when it is called: what the others need would only make it start later. */
const commands = {
  clone: async () => (await import('./clone')).addCloneCommand,
  pull: async () => (await import('./pull')).addPullCommand,
  incoming: async () => (await import('./incoming')).addIncomingCommand,
  unbundle: async () => (await import('./unbundle')).addUnbundleCommand,
  verify: async () => (await import('./verify')).addVerifyCommand,
  chains: async () => (await import('./chains')).addChainsCommand,
  survey: async () => (await import('./survey')).addSurveyCommand,
  compare: async () => (await import('./compare')).addCompareCommand,
  optimize: async () => (await import('./optimize')).addOptimizeCommand,
  serve: async () => (await import('./serve')).addServeCommand,
  bundle: async () => (await import('./bundle')).addBundleCommand,
  'clone-bundles': async () => (await import('./cloneBundles')).addCloneBundlesCommand,
  unpack: async () => (await import('./unpack')).addUnpackCommand,
};

async function main([called]: string[]): Promise<number> {
  const program = new Command('deltascope')
    .description('Clone, pull and serve Mercurial repositories, look at delta chains, unpack Git packs')
    .version(version)
    .showHelpAfterError('--help tells what there is.')
    .exitOverride();
  const all = Object.entries(commands);
  const known = all.filter(([name]) => name === called);
  try {
    for (const [, load] of known.length > 0 ? known : all) (await load())(program);
    await program.parseAsync();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error);
  }
}

/** Says on standard error what went wrong, and gives the exit code for it. */
function explain(error: unknown): number {
  if (error instanceof InvalidArgumentError) process.stderr.write(`error: ${error.message}\n`);
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof EngineError) {
    process.stderr.write(`${error.kind}: ${error.message}\n${error.advice === undefined ? '' : `${error.advice}\n`}`);
    return error.kind === 'cancelled' ? interrupted : 1;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

/** Whoever reads what is printed may have enough of it, as `head` has. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
