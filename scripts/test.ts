// `npm test`: installs what is missing, then runs every check there is, and ends with one line of counts.
//   --soak                     the long tests instead
//   --only unit|editor|e2e     one kind of tests, with what it needs
import { parseArgs } from 'node:util';
import { counted, check, failedOne, mochaStage, passedOne, sum, type Stage, type Tally } from './stage';
import { runTestsInEditor } from '../test/testbed/inEditor';
import { setUp } from '../test/testbed/setup';

const kinds = ['unit', 'editor', 'e2e'] as const;
type Kind = (typeof kinds)[number];

const prepare: Stage = {
  name: 'set-up',
  essential: true,
  run: async () => {
    await setUp();
    return passedOne();
  },
};
const style = check('lint', ['node_modules/eslint/bin/eslint.js', '.'], 5);
const format = check('format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'], 2);
const types = check('types', ['node_modules/typescript/bin/tsc', '--noEmit'], 3);
const build = check('build', ['esbuild.mjs'], 2, true);
const buildTests = check('build of the tests in the editor', ['test/editor/build.mjs'], 2, true);
/** They wait for `hg` and for the disk much of the time: two cores have time for a third. */
const unit = mochaStage('unit tests', ['--parallel', '--jobs', '3'], 25);
const editor: Stage = {
  name: 'tests in the editor',
  run: () =>
    counted('tests in the editor', (env) =>
      runTestsInEditor({ env, print: (line) => console.log(line), timeout: 4 * 60_000 }),
    ),
};
const e2e = mochaStage('end-to-end tests', [...plainMocha(240), 'test/e2e/**/*.test.ts'], 15);
const soak = mochaStage('long tests', [...plainMocha(1800), 'test/soak/**/*.test.ts'], 120);

/** The unit tests with all of their cases: DELTASCOPE_LONG tells them. */
const everyCase = mochaStage('unit tests, every case', ['--parallel', '--jobs', '3'], 60);

const e2eEveryCase = mochaStage('end-to-end tests, every case', [...plainMocha(180), 'test/e2e/**/*.test.ts'], 30);

/** Mocha without the project's configuration, which names the unit tests. */
function plainMocha(seconds: number): string[] {
  return ['--no-config', '--import=tsx', '--timeout', String(seconds * 1000)];
}

/** What is run, one after another; stages of one line run side by side. */
function stagesOf(only: Kind | undefined, long: boolean): Stage[][] {
  if (long) return [[prepare], [build], [buildTests], [soak], [everyCase], [e2eEveryCase]];
  switch (only) {
    case 'unit':
      return [[prepare], [build], [unit]];
    case 'editor':
      return [[prepare], [build], [buildTests], [editor]];
    case 'e2e':
      return [[prepare], [build], [buildTests], [e2e]];
    case undefined:
      // Setting up waits for the network while the checks calculate.
      return [[prepare, style, format, types], [build], [buildTests], [unit], [editor], [e2e]];
  }
}

async function runStages(stages: readonly (readonly Stage[])[]): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const beside of stages) {
    const results = await Promise.all(beside.map(runStage));
    tallies.push(...results);
    if (beside.some(({ essential }, at) => essential === true && results[at].failed > 0)) break;
  }
  return sum(tallies);
}

async function runStage(stage: Stage): Promise<Tally> {
  console.log(`\n--- ${stage.name} ---`);
  const begun = Date.now();
  const tally = await stage.run().catch((error: unknown) => failedOne(stage.name, messageOf(error)));
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  console.log(`--- ${stage.name}: ${tally.passed} passed, ${tally.failed} failed, ${seconds} s ---`);
  return tally;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { soak: { type: 'boolean', default: false }, only: { type: 'string' } } });
  if (values.soak) process.env.DELTASCOPE_LONG = 'yes';
  const only = kinds.find((kind) => kind === values.only);
  if (values.only !== undefined && only === undefined) throw new Error(`--only takes ${kinds.join(', ')}`);
  const { passed, failed, failures } = await runStages(stagesOf(only, values.soak));
  if (failures.length > 0) console.log('\nFailed:');
  for (const { title, message } of failures) console.log(`  ${title}\n    ${message.replaceAll('\n', '\n    ')}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

void main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
