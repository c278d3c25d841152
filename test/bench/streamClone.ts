import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../src/engine/engine';
import type { WantedUpdate } from '../../src/engine/exchange/cloneRequest';
import { unattended } from '../../src/engine/io/operation';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { HgServer } from '../fixtures/hg';
import { hg, hgEnvironment } from '../fixtures/hgCommand';
import { largeFiles } from '../fixtures/largeFiles';
import { pseudoRandom } from '../fixtures/sourceHistory';
import { benchFolder, compare, timed, type Run, type Variant } from '../fixtures/measure';

const megabyte = 1_000_000;
const memoryGoal = 120;

/**
 * Clones by stream, as whole processes, from one `hg serve`: ours beside `hg clone --stream`, and `cp -r` of the store as
 * the floor, and our engine as it is in an editor: loaded, with threads of its own. One repository has 20,000 files, one few files and 30 MB; a third of 1 GB is there for the memory.
 */
export default async function streamCloneBench(): Promise<void> {
  using folder = benchFolder('stream-clone');
  using program = await DeltascopeProgram.build();
  const many = manyFiles(join(folder.path, 'many'), 20_000);
  await compareClones('20,000 files', many, program, folder.path, { bare: 0.7, full: 0.5 });
  const large = largeFiles(join(folder.path, 'large'), 8, 30 * megabyte);
  await compareClones('8 files, 30 MB', large, program, folder.path, { bare: 0.5, full: 0.5 });
  const huge = largeFiles(join(folder.path, 'huge'), 20, 1000 * megabyte);
  const peaks = await compareClones('20 files, 1 GB', huge, program, folder.path, {}, 2);
  console.log(`\nmost memory of ours: ${Math.max(...peaks).toFixed(0)} MiB (goal ${memoryGoal} MB)`);
}

interface Goals {
  bare?: number;
  full?: number;
}

/** Gives the peak memory of each of our runs. */
async function compareClones(
  title: string,
  repository: string,
  program: DeltascopeProgram,
  folder: string,
  goals: Goals,
  times?: number,
): Promise<number[]> {
  await using server = await HgServer.start(repository);
  const engine = new Engine(program.worker);
  const targets = join(folder, `${title.replace(/\W+/g, '-')}-clones`);
  mkdirSync(targets);
  let number = 0;
  const target = () => join(targets, String(number++));
  const theirs = (...flags: string[]): Run =>
    timed(['hg', 'clone', '-q', '--stream', ...flags, server.url, target()], { env: hgEnvironment });
  const ours = (...flags: string[]): Run =>
    timed([process.execPath, program.script, 'clone', '--json', ...flags, server.url, target()], {
      env: program.environment,
    });
  const running = async (update: WantedUpdate): Promise<Run> => {
    const begin = performance.now();
    const settings = defaultWireSettings;
    await engine.clone({ source: server.url, destination: target(), update, settings }, unattended);
    return { seconds: (performance.now() - begin) / 1000 };
  };
  const floor: Variant = {
    name: 'cp -r of the store',
    run: () => timed(['cp', '-r', join(repository, '.hg/store'), target()]),
  };
  const store = mebibytes(sizeOf(join(repository, '.hg/store')));
  const bare = await compare(
    `${title}, store of ${store} MiB: without working copy`,
    [
      { name: 'hg clone -U --stream', run: () => theirs('-U') },
      { name: 'deltascope clone -U', run: () => ours('-U'), goal: goals.bare },
      { name: 'the same in a running engine', run: () => running({ kind: 'none' }), goal: goals.bare },
      floor,
    ],
    times,
  );
  const full = await compare(
    `${title}, with working copy`,
    [
      { name: 'hg clone --stream', run: () => theirs() },
      { name: 'deltascope clone', run: () => ours(), goal: goals.full },
      { name: 'the same in a running engine', run: () => running({ kind: 'default' }), goal: goals.full },
    ],
    times,
  );
  await engine.dispose();
  return [...bare[1], ...full[1]].map(({ memory }) => memory ?? NaN);
}

/** One commit of small files in folders of a hundred, as source code has them. */
function manyFiles(root: string, count: number): string {
  hg('/', ['init', root]);
  const random = pseudoRandom(11);
  for (let number = 0; number < count; number++) {
    const place = join(root, 'src', `part${Math.floor(number / 1000)}`, `folder${Math.floor(number / 100) % 10}`);
    if (number % 100 === 0) mkdirSync(place, { recursive: true });
    const lines = Array.from({ length: 5 + Math.floor(random() * 40) }, () => `  const value = ${random()};`);
    writeFileSync(join(place, `file${number}.ts`), `${lines.join('\n')}\n`);
  }
  return commitAll(root);
}

function commitAll(root: string): string {
  hg(root, ['commit', '-qAm', 'all', '-d', '0 0']);
  return root;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );
}

const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
