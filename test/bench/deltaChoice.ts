import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreComparison } from '../../src/engine/compare/compareStore';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { HgServer } from '../fixtures/hg';
import { hg, hgEnvironment } from '../fixtures/hgCommand';
import { benchFolder, compare, timed } from '../fixtures/measure';
import { mergingHistory } from '../fixtures/mergingHistory';
import { copyOf } from '../fixtures/optimizeRepository';

/** How long the histories are; `DELTASCOPE_BENCH_REVISIONS` in the environment. */
const revisions = Number(process.env.DELTASCOPE_BENCH_REVISIONS ?? 3000);
const shares = [0.05, 0.08, 0.34];

interface Sizes {
  store: number;
  manifests: number;
}

/**
 * Histories on four branches, with 5, 8 and 34 % merges, which hg makes: what their stores come to when the deltas are
 * chosen anew by hg and by us, with one parent looked at and with both; what that takes; and what judging the deltas that a
 * pull brings adds to a clone.
 */
export default async function deltaChoiceBench(): Promise<void> {
  using folder = benchFolder('delta-choice');
  using program = await DeltascopeProgram.build();
  const histories = shares.map((share) => mergingHistory(join(folder.path, `merges${share * 100}`), revisions, share));
  console.log(`\n${revisions} revisions; kilobytes of revlogs, and of those the manifest's`);
  console.log(`${'merges'.padEnd(10)}${columns.map((name) => name.padStart(20)).join('')}`);
  for (const [at, root] of histories.entries()) printSizes(program, folder.path, root, shares[at]);
  await compareTimes(program, folder.path, histories[1]);
  await compareClones(program, folder.path, histories[2]);
}

const columns = ['as committed', 'hg, one parent', 'hg, both', 'ours, one parent', 'ours, both', 'change'];

function printSizes(program: DeltascopeProgram, folder: string, root: string, share: number): void {
  const by = (act: (copy: string) => void): Sizes => {
    const copy = copyOf(root, join(folder, 'sizes'));
    act(copy);
    return sizesOf(copy);
  };
  const ours = (policy: string) => by((copy) => void run(program, 'optimize', '--policy', policy, copy));
  const before = sizesOf(root);
  const both = { hg: by((copy) => hgAgain(copy, true)), ours: ours('both-parents') };
  const all = [before, by((copy) => hgAgain(copy, false)), both.hg, ours('one-parent'), both.ours];
  const change = (pick: (sizes: Sizes) => number) => `${((pick(both.ours) / pick(before) - 1) * 100).toFixed(0)} %`;
  const cells = all.map(({ store, manifests }) => `${kilobytes(store)} / ${kilobytes(manifests)}`);
  cells.push(`${change(({ store }) => store)} / ${change(({ manifests }) => manifests)}`);
  const isMissed = both.ours.store > both.hg.store || both.ours.manifests > both.hg.manifests;
  const merges = `${(share * 100).toFixed(0)} %`.padEnd(10);
  console.log(
    `${merges}${cells.map((cell) => cell.padStart(20)).join('')}${isMissed ? '  missed: larger than hg' : ''}`,
  );
  const { detailed } = JSON.parse(run(program, 'compare', root, '--manifest', '--json')) as StoreComparison;
  const costs = detailed[0].ways.flatMap(({ policy, cost }) =>
    cost === undefined ? [] : [`${policy} ${cost.random.toFixed(2)}`],
  );
  console.log(`${''.padEnd(10)}reading a random manifest, milliseconds: ${costs.join(', ')}`);
}

async function compareTimes(program: DeltascopeProgram, folder: string, root: string): Promise<void> {
  const copy = join(folder, 'timed');
  const runs = await compare('writing the store again, whole processes', [
    {
      name: 'hg debugupgraderepo',
      run: () => timed(['hg', '-R', copyOf(root, copy), ...hgArguments(true)], { env: hgEnvironment }),
    },
    {
      name: 'deltascope optimize',
      goal: 0.3,
      run: () =>
        timed([process.execPath, program.script, 'optimize', '--json', copyOf(root, copy)], {
          env: program.environment,
        }),
    },
  ]);
  const peak = Math.max(...runs[1].map(({ memory }) => memory ?? 0));
  console.log(`peak memory ${peak.toFixed(0)} MiB (goal 500 MB)${peak > 476 ? '  missed' : ''}`);
}

/** Judging is switched by the user's configuration, as hg's own settings are. */
async function compareClones(program: DeltascopeProgram, folder: string, root: string): Promise<void> {
  await using server = await HgServer.start(root);
  let made = 0;
  const clone = (config: string) => () =>
    timed(
      [process.execPath, program.script, 'clone', '--pull', '-U', '--json', server.url, join(folder, `clone${made++}`)],
      { env: { ...program.environment, HGRCPATH: config } },
    );
  const reuse = join(folder, 'reuse.rc');
  writeFileSync(reuse, '[storage]\nrevlog.reuse-external-delta-parent = yes\n');
  await compare('a clone by pull', [
    { name: 'deltas taken as they come', run: clone(reuse) },
    { name: 'deltas judged again', run: clone(''), goal: 1.2 },
  ]);
}

function hgAgain(root: string, bothParents: boolean): void {
  hg(root, hgArguments(bothParents));
}

function hgArguments(bothParents: boolean): string[] {
  const choice = `storage.revlog.optimize-delta-parent-choice=${bothParents ? 'yes' : 'no'}`;
  return ['debugupgraderepo', '--optimize', 're-delta-all', '--run', '--no-backup', '-q', '--config', choice];
}

function run(program: DeltascopeProgram, ...args: string[]): string {
  const { code, stdout, stderr } = program.run(...args);
  if (code !== 0) throw new Error(`deltascope ${args.join(' ')} ended with ${String(code)}: ${stderr}`);
  return stdout;
}

function sizesOf(root: string): Sizes {
  const store = join(root, '.hg/store');
  const sizes: Sizes = { store: 0, manifests: 0 };
  for (const name of readdirSync(store, { recursive: true }) as string[]) {
    if (!/\.[id]$/.test(name)) continue;
    const stat = statSync(join(store, name));
    if (!stat.isFile()) continue;
    sizes.store += stat.size;
    if (name.startsWith('00manifest')) sizes.manifests += stat.size;
  }
  return sizes;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
