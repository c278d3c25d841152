import { spawnSync } from 'node:child_process';
import { openSync, closeSync, mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { git, initRepository, fastImport, temporaryFolder } from '../fixtures/gitRepository';
import { randomBytesOf, sourceHistory } from '../fixtures/sourceHistory';
import { UnpackProgram } from '../fixtures/unpackProgram';

interface Run {
  seconds: number;
  /** Most resident memory in MiB, where the system's `time` tells it. */
  memory?: number;
  /** Seconds of processor time outside the system. */
  user?: number;
}

interface Variant {
  name: string;
  run: (pack: string, repository: string) => Run;
}

/**
 * Compares unpacking with `git unpack-objects`, as whole processes: everything in memory, streaming, and streaming with a
 * small threshold; on a pack of many small objects and on one with a blob of 320 MiB. The variants take turns, so that
 * what else the machine does falls on all of them, and nothing is deleted before the end: a file system that has just
 * lost many files is slow to make new ones. `DELTASCOPE_BENCH_DIR` says where to work, such as a file system in memory,
 * whose times are steadier; `DELTASCOPE_BENCH_ROUNDS` how often.
 */
export default async function unpackBench(rounds = Number(process.env.DELTASCOPE_BENCH_ROUNDS ?? 5)): Promise<void> {
  using folder = temporaryFolder('bench', process.env.DELTASCOPE_BENCH_DIR);
  using program = await UnpackProgram.build();
  const small = await smallPack(folder.path);
  compare(`${small.objects} small objects, ${mebibytes(small.bytes)} MiB`, small.path, folder.path, rounds, [
    gitVariant('git', []),
    gitVariant('git, threshold 64k', ['-c', 'core.bigFileThreshold=64k']),
    ourVariant(program, 'deltascope, in memory', ['--big-file-threshold', '100g']),
    ourVariant(program, 'deltascope, streaming', []),
    ourVariant(program, 'deltascope, threshold 64k', ['--big-file-threshold', '64k']),
    ourVariant(program, 'deltascope, one thread', ['--jobs', '1']),
  ]);
  const large = largePack(folder.path);
  compare(`one random blob of 320 MiB`, large, folder.path, Math.max(3, Math.ceil(rounds / 2)), [
    gitVariant('git, in memory', []),
    gitVariant('git, threshold 2m', ['-c', 'core.bigFileThreshold=2m']),
    ourVariant(program, 'deltascope, in memory', ['--big-file-threshold', '100g']),
    ourVariant(program, 'deltascope, streaming', []),
    ourVariant(program, 'deltascope, threshold 2m', ['--big-file-threshold', '2m']),
  ]);
}

async function smallPack(folder: string): Promise<{ path: string; objects: number; bytes: number }> {
  const source = initRepository(join(folder, 'source.git'));
  await fastImport(source, sourceHistory({ commits: 2600, files: 400 }));
  const bytes = git(source, ['pack-objects', '--stdout', '--all', '-q', '--delta-base-offset'], '');
  const path = join(folder, 'small.pack');
  writeFileSync(path, bytes);
  return { path, objects: bytes.readUInt32BE(8), bytes: bytes.length };
}

function largePack(folder: string): string {
  const source = initRepository(join(folder, 'large.git'));
  const name = git(
    source,
    ['-c', 'core.compression=0', 'hash-object', '-w', '--stdin'],
    randomBytesOf(320 * 1024 * 1024),
  ).toString();
  const path = join(folder, 'large.pack');
  const file = openSync(path, 'w');
  try {
    spawnSync('git', ['pack-objects', '--stdout', '-q'], {
      cwd: source,
      input: name,
      stdio: ['pipe', file, 'inherit'],
    });
  } finally {
    closeSync(file);
  }
  rmSync(source, { recursive: true });
  return path;
}

function gitVariant(name: string, settings: string[]): Variant {
  return {
    name,
    run: (pack, repository) => timed(['git', ...settings, 'unpack-objects', '-q'], repository, pack),
  };
}

function ourVariant(program: UnpackProgram, name: string, args: string[]): Variant {
  return {
    name,
    run: (pack, repository) =>
      timed([process.execPath, program.script, 'unpack', '--json', ...args, pack, '--into', repository], repository),
  };
}

/** Runs a program; GNU `time` tells its memory where there is one. */
function timed(command: string[], directory: string, stdin?: string): Run {
  const notes = join(directory, 'time');
  const hasTime = spawnSync('/usr/bin/time', ['-f', '%M %U', 'true']).status === 0;
  const whole = hasTime ? ['/usr/bin/time', '-o', notes, '-f', '%M %U', ...command] : command;
  const input = stdin === undefined ? 'ignore' : openSync(stdin, 'r');
  const begun = performance.now();
  const env = { ...process.env, NODE_OPTIONS: '' };
  const run = spawnSync(whole[0], whole.slice(1), { cwd: directory, env, stdio: [input, 'ignore', 'inherit'] });
  const seconds = (performance.now() - begun) / 1000;
  if (typeof input === 'number') closeSync(input);
  if (run.status !== 0) throw new Error(`${command.join(' ')} ended with ${String(run.status)}`);
  if (!hasTime) return { seconds };
  const [memory, user] = readFileSync(notes, 'utf8').trim().split(' ').map(Number);
  return { seconds, memory: memory / 1024, user };
}

function compare(title: string, pack: string, folder: string, rounds: number, variants: Variant[]): void {
  const runs = variants.map((): Run[] => []);
  const targets = join(folder, `targets-${title.slice(0, 3).trim()}`);
  mkdirSync(targets);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      // Whoever goes first in a round is another each time.
      const at = (turn + round) % variants.length;
      const repository = initRepository(join(targets, `${round}-${at}.git`));
      runs[at].push(variants[at].run(pack, repository));
    }
  }
  rmSync(targets, { recursive: true });
  const mean = (at: number) => runs[at].reduce((sum, run) => sum + run.seconds, 0) / rounds;
  const sorted = (at: number) => runs[at].map((run) => run.seconds).sort((one, other) => one - other);
  const best = (at: number) => sorted(at)[0];
  const median = (at: number) => sorted(at)[Math.floor(rounds / 2)];
  console.log(`\n${title} (${rounds} rounds, ${cpus().length} cores, Node ${process.versions.node})`);
  console.log(
    `${'variant'.padEnd(28)}    mean ± deviation    median      best   mean/git median/git  best/git   memory       user`,
  );
  variants.forEach(({ name }, at) => {
    const deviation = Math.sqrt(
      runs[at].reduce((sum, run) => sum + (run.seconds - mean(at)) ** 2, 0) / Math.max(1, rounds - 1),
    );
    const user = runs[at].reduce((sum, run) => sum + (run.user ?? NaN), 0) / rounds;
    const memory = Math.max(...runs[at].map((run) => run.memory ?? NaN));
    console.log(
      `${name.padEnd(28)} ${mean(at).toFixed(2).padStart(6)} s ± ${deviation.toFixed(2)}  ${median(at).toFixed(2).padStart(7)} s ${best(at).toFixed(2).padStart(7)} s ${(mean(at) / mean(0)).toFixed(2).padStart(8)}x ${(median(at) / median(0)).toFixed(2).padStart(9)}x ${(best(at) / best(0)).toFixed(2).padStart(8)}x ${memory.toFixed(0).padStart(6)} MiB ${user.toFixed(3).padStart(8)} s`,
    );
  });
}

const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
