import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../src/engine/engine';
import { unattended } from '../../src/engine/io/operation';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { HgServer } from '../fixtures/hg';
import { hg, hgEnvironment, hgText } from '../fixtures/hgCommand';
import { benchFolder, compare, timed, type Run } from '../fixtures/measure';
import { writeHistory, type WrittenHistory } from '../fixtures/writtenHistory';

const memoryGoal = 250;
const newChangesets = 100;

/**
 * Clones by pull, pulls 100 changesets and verifies, as whole processes from one `hg serve`, beside hg: a history of
 * 15,000 changesets with merges, and one of 2,000 changesets over 20,000 files.
 */
export default async function pullBench(): Promise<void> {
  using folder = benchFolder('pull');
  using program = await DeltascopeProgram.build();
  const peaks: number[] = [];
  for (const [title, history] of [
    ['15,000 changesets', { changesets: 15_000, files: 1_900, mergeEvery: 7 }],
    ['2,000 changesets over 20,000 files', { changesets: 2_000, files: 20_000, mergeEvery: 10 }],
  ] as const) {
    peaks.push(...(await comparePulls(title, history, program, join(folder.path, String(history.changesets)))));
  }
  console.log(`\nmost memory of ours: ${Math.max(...peaks).toFixed(0)} MiB (goal ${memoryGoal} MB)`);
}

/** Gives the peak memory of each of our runs. */
async function comparePulls(
  title: string,
  history: WrittenHistory,
  program: DeltascopeProgram,
  root: string,
): Promise<number[]> {
  await writeHistory(root, history);
  await using server = await HgServer.start(root);
  let number = 0;
  const target = () => `${root}-${number++}`;
  const theirs = (...args: string[]): Run => timed(['hg', ...args], { env: hgEnvironment });
  const ours = (...args: string[]): Run =>
    timed([process.execPath, program.script, ...args, '--json'], { env: program.environment });

  const clones = await compare(`${title}: clone by pull`, [
    { name: 'hg clone -U --pull', run: () => theirs('clone', '-q', '-U', '--pull', server.url, target()) },
    { name: 'deltascope clone -U --pull', run: () => ours('clone', '-U', '--pull', server.url, target()), goal: 0.6 },
  ]);

  const behind = `${root}-behind`;
  const last = hgText(root, ['log', '-r', `${history.changesets - 1 - newChangesets}`, '-T', '{node}']);
  hg(join(root, '..'), ['clone', '-q', '-U', '--pull', '-r', last, root, behind]);
  const copy = () => {
    const path = target();
    cpSync(behind, path, { recursive: true });
    return path;
  };
  const engine = new Engine(program.worker);
  const pulls = await compare(`${title}: pull of what is new`, [
    { name: 'hg pull', run: () => theirs('-R', copy(), 'pull', '-q', server.url) },
    { name: 'deltascope pull', run: () => ours('pull', '-R', copy(), server.url), goal: 0.5 },
    {
      name: 'the same in a running engine',
      goal: 0.5,
      run: async () => {
        const request = { root: copy(), source: server.url, settings: defaultWireSettings };
        const begin = performance.now();
        await engine.pull(request, unattended);
        return { seconds: (performance.now() - begin) / 1000 };
      },
    },
  ]);
  await engine.dispose();

  const verified = await compare(`${title}: verify`, [
    { name: 'hg verify', run: () => theirs('-R', root, 'verify', '-q') },
    { name: 'deltascope verify', run: () => ours('verify', root), goal: 0.4 },
  ]);
  return [clones[1], pulls[1], verified[1]].flat().map(({ memory }) => memory ?? NaN);
}
