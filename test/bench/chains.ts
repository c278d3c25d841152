import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdReady, type ChunkEngine } from '../../src/engine/compression/block';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { hg, hgEnvironment } from '../fixtures/hgCommand';
import { benchFolder, compare, median, rounds, timed } from '../fixtures/measure';
import { writeManifestHistory } from '../fixtures/manifestHistory';
import { pseudoRandom } from '../fixtures/sourceHistory';
import { writeSyntheticIndex, type SyntheticEntry } from '../fixtures/syntheticRevlog';

const root = join(__dirname, '../..');

/**
 * Compares the statistics and the texts of revlogs with hg's: whole processes that print the chains of 40,000 revisions;
 * an index of 5,000,000 revisions, for time and memory; 1,000 random texts of a manifest, measured inside one process
 * each, with nothing read before.
 */
export default async function chainsBench(): Promise<void> {
  await zstdReady;
  using folder = benchFolder('chains');
  using program = await DeltascopeProgram.build();
  await printChains(program, folder.path);
  await measureLargeIndex(program, folder.path);
  for (const engine of ['zlib', 'zstd', 'none'] as const) await readTexts(program, folder.path, engine);
}

async function printChains(program: DeltascopeProgram, folder: string): Promise<void> {
  const repository = manifestRepository(folder, 'chains', 40_000, 400, 'zstd');
  const ours = (...args: string[]) =>
    timed([process.execPath, program.script, 'chains', ...args, repository], { env: program.environment });
  const theirs = (...args: string[]) => timed(['hg', '-R', repository, ...args], { env: hgEnvironment });
  await compare('printing the chains of 40,000 revisions, whole processes', [
    { name: 'hg debugdeltachain -m', run: () => theirs('debugdeltachain', '-m') },
    { name: 'deltascope chains', run: () => ours('--manifest'), goal: 0.15 },
  ]);
  await compare('the same as JSON', [
    { name: 'hg debugdeltachain -m -T json', run: () => theirs('debugdeltachain', '-m', '-T', 'json') },
    { name: 'deltascope chains --json', run: () => ours('--manifest', '--json'), goal: 0.15 },
  ]);
  await compare('the summary of 40,000 revisions', [
    { name: 'hg debugrevlog -m', run: () => theirs('debugrevlog', '-m') },
    { name: 'deltascope chains --summary', run: () => ours('--manifest', '--summary') },
  ]);
}

/** Prints seconds and megabytes of a process that does nothing else. */
async function measureLargeIndex(program: DeltascopeProgram, folder: string): Promise<void> {
  const count = 5_000_000;
  const path = join(folder, 'large.i');
  writeSyntheticIndex(path, count, branchyEntries());
  const script = await bundle(
    folder,
    'large.cjs',
    `
    import { readChainColumns } from './src/engine/revlog/readChainColumns';
    import { unattended } from './src/engine/io/operation';
    const begin = performance.now();
    const detail = { kinds: 'none', withSparse: true };
    const { columns } = readChainColumns({ path: process.argv[2], isSparse: true }, detail, unattended);
    const seconds = (performance.now() - begin) / 1000;
    console.log(seconds, process.resourceUsage().maxRSS / 1024, columns.count);
    `,
  );
  const runs = Array.from({ length: rounds }, () =>
    numbers(process.execPath, [script, path], scriptEnvironment(program)),
  );
  console.log(`\nevery column of an index of 5,000,000 revisions (goals 2 s, 500 MB)`);
  console.log(
    `deltascope, in its process     ${median(runs.map(([time]) => time)).toFixed(3)} s, ${Math.max(...runs.map(([, memory]) => memory)).toFixed(0)} MiB`,
  );
}

async function readTexts(program: DeltascopeProgram, folder: string, engine: ChunkEngine): Promise<void> {
  const revisions = 15_000;
  const repository = manifestRepository(folder, `texts-${engine}`, revisions, 1936, engine);
  const random = pseudoRandom(5);
  const wanted = join(folder, 'wanted');
  writeFileSync(wanted, Array.from({ length: 1000 }, () => `${Math.floor(random() * revisions)}\n`).join(''));
  const script = await bundle(
    folder,
    'texts.cjs',
    `
    import { readFileSync } from 'node:fs';
    import { zstdReady } from './src/engine/compression/block';
    import { Revlog } from './src/engine/revlog/revlog';
    void zstdReady.then(() => {
      const revisions = readFileSync(process.argv[3], 'utf8').trim().split('\\n').map(Number);
      const begin = performance.now();
      const revlog = Revlog.open(process.argv[2]);
      let size = 0;
      for (const rev of revisions) size += revlog.text(rev).length;
      console.log((performance.now() - begin) / 1000, size);
    });
    `,
  );
  const extension = join(__dirname, 'readTexts.py');
  const sizes = new Set<number>();
  const note = ([time, size]: number[]) => {
    sizes.add(size);
    return { seconds: time };
  };
  await compare(`1,000 random texts of a manifest with 700-link chains, ${engine}`, [
    {
      name: 'hg, in its process',
      run: () =>
        note(
          numbers(
            'hg',
            ['-R', repository, '--config', `extensions.readtexts=${extension}`, 'readtexts', wanted],
            hgEnvironment,
          ),
        ),
    },
    {
      name: 'deltascope, in its process',
      goal: 0.5,
      run: () =>
        note(
          numbers(
            process.execPath,
            [script, join(repository, '.hg/store/00manifest.i'), wanted],
            scriptEnvironment(program),
          ),
        ),
    },
  ]);
  if (sizes.size !== 1) throw new Error(`The texts that were read are not the same: ${[...sizes].join(', ')} bytes.`);
}

function manifestRepository(
  folder: string,
  name: string,
  revisions: number,
  files: number,
  engine: ChunkEngine,
): string {
  const repository = join(folder, name);
  hg(folder, ['init', repository]);
  const path = join(repository, '.hg/store/00manifest.i');
  writeManifestHistory(path, { revisions, files, engine, longestChain: 700, mergeEvery: 60 });
  return repository;
}

/** Twelve branches at work at once, chains of up to 500 links, snapshots on two levels. */
function branchyEntries(): (rev: number) => SyntheticEntry {
  const random = pseudoRandom(3);
  const pick = (limit: number) => Math.floor(random() * limit);
  const heads = new Int32Array(12).fill(-1);
  const links = new Int32Array(12);
  let whole = 0;
  let snapshot = 0;
  return (rev) => {
    const branch = pick(heads.length);
    const p1 = heads[branch];
    const other = rev % 15 === 0 ? heads[pick(heads.length)] : -1;
    heads[branch] = rev;
    const entry = { p1, p2: other, textLength: 2_000_000 };
    if (rev === 0 || rev - whole > 40_000) {
      whole = snapshot = rev;
      links[branch] = 0;
      return { ...entry, base: rev, chunkLength: 400_000 };
    }
    if (links[branch] > 500 || p1 < whole) {
      const base = random() < 0.3 ? whole : snapshot;
      snapshot = rev;
      links[branch] = 1;
      return { ...entry, base, chunkLength: 5000 };
    }
    links[branch]++;
    return { ...entry, base: p1, chunkLength: 60 + pick(120) };
  };
}

/** The numbers that a program prints. */
function numbers(command: string, args: string[], env: NodeJS.ProcessEnv): number[] {
  const run = spawnSync(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  if (run.status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(run.status)}.`);
  return run.stdout.toString().trim().split(/\s+/).map(Number);
}

/** Scripts stand outside the project, and find there what is not bundled. */
function scriptEnvironment(program: DeltascopeProgram): NodeJS.ProcessEnv {
  return { ...program.environment, NODE_PATH: join(root, 'node_modules') };
}

async function bundle(folder: string, name: string, contents: string): Promise<string> {
  const outfile = join(folder, name);
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
    external: ['@foxglove/wasm-zstd'],
  });
  return outfile;
}
