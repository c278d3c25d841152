import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How many checks of a stage passed, and how many did not. */
export interface Tally {
  passed: number;
  failed: number;
  /** What failed, for the summary. */
  failures: { title: string; message: string }[];
}

/** One part of a test run. */
export interface Stage {
  name: string;
  run: () => Promise<Tally>;
  /** A stage without which the later ones cannot be run. */
  essential?: boolean;
}

/** A program that either succeeds or does not, counted as one check. */
export function check(name: string, args: readonly string[], minutes: number, essential = false): Stage {
  return {
    name,
    essential,
    run: async () => {
      const code = await runNode(args, minutes);
      return code === 0 ? passedOne() : failedOne(name, `ended with ${code}`);
    },
  };
}

/** Mocha over test files, each test counted. */
export function mochaStage(name: string, args: readonly string[], minutes: number): Stage {
  return {
    name,
    run: () =>
      counted(name, (env) =>
        runNode(['node_modules/mocha/bin/mocha.js', '--reporter', 'test/testbed/reporter.mjs', ...args], minutes, env),
      ),
  };
}

/** Runs tests that report their counts in a file, and reads them. A run that broke off counts as a failure. */
export async function counted(name: string, run: (env: NodeJS.ProcessEnv) => Promise<number | string>): Promise<Tally> {
  const file = join(tmpdir(), `deltascope-results-${process.pid}-${name.replaceAll(/\W/g, '')}.json`);
  try {
    const end = await run({ DELTASCOPE_TEST_RESULTS: file });
    const tally = await readFile(file, 'utf8').then(
      (text) => JSON.parse(text) as Tally,
      () => undefined,
    );
    if (tally === undefined) return failedOne(name, `broke off: ${end}`);
    return end !== 0 && tally.failed === 0 ? sum([tally, failedOne(name, `ended with ${end}`)]) : tally;
  } finally {
    await rm(file, { force: true });
  }
}

export function passedOne(): Tally {
  return { passed: 1, failed: 0, failures: [] };
}

export function failedOne(title: string, message: string): Tally {
  return { passed: 0, failed: 1, failures: [{ title, message }] };
}

export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, tally) => total + tally.passed, 0),
    failed: tallies.reduce((total, tally) => total + tally.failed, 0),
    failures: tallies.flatMap((tally) => tally.failures),
  };
}

/** Runs Node with these arguments, its output passed on; after so many minutes it is killed with all it has started. */
export function runNode(
  args: readonly string[],
  minutes: number,
  env: NodeJS.ProcessEnv = {},
): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const group = process.platform !== 'win32';
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: group,
      env: { ...process.env, ...env },
    });
    let late = false;
    const kill = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(group ? -child.pid : child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    const interrupted = () => {
      kill();
      // Whoever else runs beside this is killed first.
      setImmediate(() => process.exit(130));
    };
    const limit = setTimeout(() => {
      late = true;
      kill();
    }, minutes * 60_000);
    process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      resolve(late ? `not finished after ${minutes} minutes` : (code ?? signal ?? 'nothing'));
    });
  });
}
