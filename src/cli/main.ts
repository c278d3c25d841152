import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { EngineError } from '../engine/io/errors';
import { addChainsCommand } from './chains';
import { addCloneCommand } from './clone';
import { addSurveyCommand } from './survey';
import { addUnpackCommand } from './unpack';

const interrupted = 130;

async function main(): Promise<number> {
  const program = new Command('deltascope')
    .description('Clone Mercurial repositories, look at delta chains, unpack Git packs')
    .version(version)
    .exitOverride();
  addCloneCommand(program);
  addChainsCommand(program);
  addSurveyCommand(program);
  addUnpackCommand(program);
  try {
    await program.parseAsync();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return explain(error);
  }
}

/** Says on standard error what went wrong, and gives the exit code for it. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof EngineError) {
    process.stderr.write(`${error.kind}: ${error.message}\n${error.advice === undefined ? '' : `${error.advice}\n`}`);
    return error.kind === 'cancelled' ? interrupted : 1;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

void main().then((code) => {
  process.exitCode = code;
});
