import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, initRepository, fastImport } from '../fixtures/gitRepository';
import { benchFolder, compare, rounds, timed, type Run } from '../fixtures/measure';
import { writeLargePack } from '../fixtures/largePack';
import { sourceHistory } from '../fixtures/sourceHistory';
import { UnpackProgram } from '../fixtures/unpackProgram';

/** A way to unpack a pack into a new repository. */
interface Unpacking {
  name: string;
  unpack: (pack: string, repository: string) => Run;
  goal?: number;
}

/**
 * Compares unpacking with `git unpack-objects`, as whole processes: everything in memory, streaming, and streaming with a
 * small threshold; on a pack of many small objects and on one with a blob of 320 MiB. Nothing is deleted
 * before the end.
 */
export default async function unpackBench(): Promise<void> {
  using folder = benchFolder('unpack');
  using program = await UnpackProgram.build();
  const small = await smallPack(folder.path);
  await compareUnpacking(
    `${small.objects} small objects, ${mebibytes(small.bytes)} MiB`,
    small.path,
    folder.path,
    rounds,
    [
      gitVariant('git', []),
      gitVariant('git, threshold 64k', ['-c', 'core.bigFileThreshold=64k']),
      ourVariant(program, 'deltascope, in memory', ['--big-file-threshold', '100g']),
      ourVariant(program, 'deltascope, streaming', []),
      ourVariant(program, 'deltascope, threshold 64k', ['--big-file-threshold', '64k']),
      ourVariant(program, 'deltascope, one thread', ['--jobs', '1']),
    ],
  );
  const large = join(folder.path, 'large.pack');
  await writeLargePack(large, [{ size: 320 * 1024 * 1024, random: true }]);
  await compareUnpacking('one random blob of 320 MiB', large, folder.path, Math.max(3, Math.ceil(rounds / 2)), [
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

function gitVariant(name: string, settings: string[]): Unpacking {
  return {
    name,
    unpack: (pack, repository) => timed(['git', ...settings, 'unpack-objects', '-q'], { cwd: repository, stdin: pack }),
  };
}

function ourVariant(program: UnpackProgram, name: string, args: string[], goal = 0.5): Unpacking {
  return {
    name,
    goal,
    unpack: (pack, repository) =>
      timed([process.execPath, program.script, 'unpack', '--json', ...args, pack, '--into', repository], {
        cwd: repository,
      }),
  };
}

async function compareUnpacking(
  title: string,
  pack: string,
  folder: string,
  times: number,
  ways: readonly Unpacking[],
): Promise<void> {
  const targets = join(folder, title.replace(/\W+/g, '-'));
  mkdirSync(targets);
  let number = 0;
  const variants = ways.map(({ name, unpack, goal }) => ({
    name,
    goal,
    run: () => unpack(pack, initRepository(join(targets, `${number++}.git`))),
  }));
  await compare(title, variants, times);
  rmSync(targets, { recursive: true });
}

const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
