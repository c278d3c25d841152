import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { CompressionName } from '../../src/engine/compression/codec';
import { writableEngines } from '../../src/engine/compression/stream';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { hgEnvironment } from '../fixtures/hgCommand';
import { largeFiles } from '../fixtures/largeFiles';
import { benchFolder, median, rounds } from '../fixtures/measure';
import { peakMemory, processorTime, ServerProgram, takeAnswer, type Taking } from '../fixtures/measuredServer';
import { streamArguments } from '../fixtures/wireRequest';
import { writeHistory } from '../fixtures/writtenHistory';

const goals = { ofZstd: 0.75, ofHg: 0.3, ofChangegroup: 1, rate: 1000, ofPlain: 0.8, memory: 150 };
const clientsAtOnce = 50;
const everything: Taking = {
  args: { ...streamArguments, stream: '0', cg: '1', phases: '1', listkeys: 'bookmarks' },
  headers: { 'X-HgProto-1': '0.1 0.2 comp=zstd,zlib,none,bzip2' },
};
const throughEngine = (engine: CompressionName): Taking => ({
  args: streamArguments,
  headers: { 'X-HgProto-1': `0.2 comp=${engine}` },
});

/** What a server took for one answer, in seconds, and how much it sent. */
interface Taken {
  seconds: number;
  user: number;
  system: number;
  bytes: number;
}

/**
 * What it takes a server to be cloned from: user and system seconds of its process for a stream, compressed and not, and
 * for a changegroup of everything; ours beside `hg serve`, and beside a plain Node server that sends one file of the same
 * size. A history of 30 MB, and 1 GB of large files. Clients do nothing with what they get. Linux only.
 */
export default async function serveBench(): Promise<void> {
  using folder = benchFolder('serve');
  using program = await DeltascopeProgram.build();
  const history = join(folder.path, 'history');
  await writeHistory(history, { changesets: 40_000, files: 1_900, mergeEvery: 7 });
  await compareServers('a history', history, program, folder.path, { answers: 10 });
  const large = largeFiles(join(folder.path, 'large'), 20, 1e9);
  await compareServers('large files', large, program, folder.path, { answers: 1, times: Math.min(rounds, 3) });
}

async function compareServers(
  title: string,
  repository: string,
  program: DeltascopeProgram,
  folder: string,
  { answers, times = rounds }: { answers: number; times?: number },
): Promise<void> {
  const store = sizeOf(join(repository, '.hg/store'));
  console.log(`\n${title}, store of ${(store / 1e6).toFixed(1)} MB (${times} rounds, means of ${answers} answers;`);
  console.log(`${cpus().length} cores, Node ${process.versions.node})`);
  await using hg = await ServerProgram.start(
    ['hg', 'serve', '-R', repository, '-p', '0', '-a', '127.0.0.1', '-A', '/dev/null'],
    hgEnvironment,
    /bound to (127\.0\.0\.1:\d+)/,
  );
  await using ours = await startOurs(repository, program);
  await using plain = await startPlain(folder, store);
  const engines = writableEngines.filter((engine) => engine !== 'none');
  const rows = new Map<string, () => Promise<Taken>>();
  const add = (name: string, server: ServerProgram, command: string, taking: Taking, count = answers) =>
    rows.set(name, () => measure(server, command, taking, count));
  // hg leaves a stream as it is for whoever takes that, named or not; zlib is what the first media type is always in.
  add('hg serve, stream, zlib', hg, 'getbundle', { args: streamArguments });
  add('hg serve, stream, none', hg, 'getbundle', throughEngine('none'));
  for (const engine of [...engines, 'none'] as const)
    add(`ours, stream, ${engine}`, ours, 'getbundle', throughEngine(engine));
  add('plain Node, one file', plain, 'file', {});
  add('hg serve, changegroup', hg, 'getbundle', everything, 1);
  add('ours, changegroup', ours, 'getbundle', everything, 1);
  for (const server of [hg, ours]) await takeAnswer(server.url, 'getbundle', throughEngine('none'));
  const taken = await inTurns(rows, times);
  for (const [name, one] of taken) {
    const { seconds, user, system, bytes } = one;
    const cells = [
      `${user.toFixed(3)} s user`,
      `${system.toFixed(3)} s system`,
      `${seconds.toFixed(3)} s`,
      `${(bytes / 1e6).toFixed(1)} MB`,
      `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`,
    ];
    console.log(`${name.padEnd(26)}${cells.map((cell) => cell.padStart(15)).join('')}`);
  }
  const of = (name: string) => taken.get(name) ?? { seconds: NaN, user: NaN, system: NaN, bytes: NaN };
  const cpu = (name: string) => of(name).user + of(name).system;
  const rate = (name: string) => of(name).bytes / 1e6 / of(name).seconds;
  for (const engine of engines)
    tell(
      `uncompressed to our ${engine}`,
      cpu('ours, stream, none') / cpu(`ours, stream, ${engine}`),
      goals.ofZstd,
      'most',
    );
  tell('uncompressed to that of hg', cpu('ours, stream, none') / cpu('hg serve, stream, none'), goals.ofHg, 'most');
  tell(
    'changegroup to that of hg',
    cpu('ours, changegroup') / cpu('hg serve, changegroup'),
    goals.ofChangegroup,
    'most',
  );
  const [own, bare] = [rate('ours, stream, none'), rate('plain Node, one file')];
  if (own < goals.rate) tell('rate to that of plain Node', own / bare, goals.ofPlain, 'least');
  else tell('rate, MB/s', own, goals.rate, 'least');
  await using crowded = await startOurs(repository, program);
  const some = { ...throughEngine('none'), enough: 100e6 };
  await Promise.all(Array.from({ length: clientsAtOnce }, () => takeAnswer(crowded.url, 'getbundle', some)));
  tell(`memory with ${clientsAtOnce} clients, MB`, peakMemory(crowded.pid), goals.memory, 'most');
}

/** Medians, each of its own column; in turns, so that what else the machine does falls on all of them. */
async function inTurns(
  rows: ReadonlyMap<string, () => Promise<Taken>>,
  times: number,
): Promise<ReadonlyMap<string, Taken>> {
  const all = new Map([...rows.keys()].map((name) => [name, [] as Taken[]]));
  for (let round = 0; round < times; round++) {
    for (const [name, run] of rows) all.get(name)?.push(await run());
  }
  const middle = (taken: Taken[], pick: (one: Taken) => number) => median(taken.map(pick));
  return new Map(
    [...all].map(([name, taken]) => [
      name,
      {
        seconds: middle(taken, ({ seconds }) => seconds),
        user: middle(taken, ({ user }) => user),
        system: middle(taken, ({ system }) => system),
        bytes: middle(taken, ({ bytes }) => bytes),
      },
    ]),
  );
}

async function measure(server: ServerProgram, command: string, taking: Taking, answers: number): Promise<Taken> {
  const before = processorTime(server.pid);
  const begun = performance.now();
  let bytes = 0;
  for (let answer = 0; answer < answers; answer++) bytes += await takeAnswer(server.url, command, taking);
  const seconds = (performance.now() - begun) / 1000;
  const after = processorTime(server.pid);
  return {
    seconds: seconds / answers,
    user: (after.user - before.user) / answers,
    system: (after.system - before.system) / answers,
    bytes: bytes / answers,
  };
}

function startOurs(repository: string, program: DeltascopeProgram): Promise<ServerProgram> {
  return ServerProgram.start(
    [process.execPath, program.script, 'serve', '--json', '--port', '0', repository],
    program.environment,
    /"address":"([^"]+)"/,
  );
}

/** What Node does for whoever sends a file: the floor. */
function startPlain(folder: string, bytes: number): Promise<ServerProgram> {
  const [file, script] = [join(folder, 'plain.bin'), join(folder, 'plain.cjs')];
  const part = Buffer.alloc(Math.ceil(bytes / 16), 'deltascope');
  writeFileSync(file, '');
  for (let count = 0; count < 16; count++) writeFileSync(file, part, { flag: 'a' });
  writeFileSync(
    script,
    `const { createReadStream } = require('node:fs');
     const server = require('node:http').createServer((request, response) => {
       createReadStream(${JSON.stringify(file)}, { highWaterMark: 1 << 20 }).pipe(response);
     });
     server.listen(0, '127.0.0.1', () => console.log('at http://127.0.0.1:' + server.address().port));`,
  );
  return ServerProgram.start([process.execPath, script], { ...process.env, NODE_OPTIONS: '' }, /at (\S+)/);
}

function tell(what: string, value: number, goal: number, bound: 'most' | 'least'): void {
  const isMissed = bound === 'most' ? value > goal : value < goal;
  const digits = goal < 10 ? 2 : 0;
  const words = `${value.toFixed(digits)}, goal at ${bound} ${goal.toFixed(digits)}`;
  console.log(`  ${what.padEnd(34)} ${words}${isMissed ? '  missed' : ''}`);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
}
