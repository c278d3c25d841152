import { SingleBar } from 'cli-progress';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { destinationError } from '../engine/io/errors';
import type { Operation, ProgressEvent } from '../engine/io/operation';
import { WorkerPool } from '../engine/io/workerPool';
import { parseSize } from '../engine/pack/gitConfig';
import { unpackPack, type PackInput, type UnpackReport } from '../engine/pack/unpackPack';
import type { Tasks } from '../engine/tasks';

interface UnpackFlags {
  into: string;
  bigFileThreshold?: number;
  jobs?: number;
  strict: boolean;
  json: boolean;
}

/** Adds `unpack` to the command line. */
export function addUnpackCommand(program: Command): void {
  program
    .command('unpack')
    .description('unpack a Git pack or bundle into the loose objects of a repository')
    .argument('<pack>', 'a .pack or .bundle file, or - for standard input')
    .option('--into <repository>', 'the repository that gets the objects', '.')
    .addOption(
      new Option(
        '--big-file-threshold <size>',
        'stream objects above this size through a fixed buffer; k, m and g are known',
      ).argParser(sizeArgument),
    )
    .addOption(new Option('--jobs <number>', 'threads at work at once').argParser(jobsArgument))
    .option('--strict', 'check the form of objects, and that those which they name are there', false)
    .option('--json', 'print the report as JSON', false)
    .action(async (pack: string, flags: UnpackFlags) => {
      const report = await unpack(pack, flags);
      process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : describe(report));
    });
}

async function unpack(pack: string, flags: UnpackFlags): Promise<UnpackReport> {
  const { into, bigFileThreshold, jobs, strict } = flags;
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  const bar = flags.json ? undefined : openBar();
  const operation: Operation = {
    signal: stop.signal,
    progress: (event) => bar?.show(event),
    log: (level, message) => (level === 'warn' || level === 'error' ? process.stderr.write(`${message}\n`) : undefined),
  };
  const pool = new WorkerPool<Tasks>(join(__dirname, 'worker.js'));
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  try {
    return await unpackPack(inputFor(pack), into, { bigFileThreshold, jobs, strict }, pool, operation);
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
    bar?.close();
    // A terminal or a pipe that still waits would keep the process alive.
    if (pack === '-') process.stdin.destroy();
    await pool.dispose();
  }
}

function inputFor(pack: string): PackInput {
  if (pack === '-') return { stream: process.stdin, name: 'standard input' };
  const kind = statSync(pack, { throwIfNoEntry: false });
  if (kind === undefined) throw destinationError(`${pack} does not exist.`, { subject: pack });
  if (kind.isDirectory()) throw destinationError(`${pack} is a folder, not a pack.`, { subject: pack });
  return { path: pack };
}

function sizeArgument(text: string): number {
  const size = parseSize(text);
  if (size === undefined) throw new InvalidArgumentError('A size is a number, with k, m or g behind it if need be.');
  return size;
}

function jobsArgument(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1) throw new InvalidArgumentError('The number of threads is 1 or more.');
  return jobs;
}

/** A bar of objects on a terminal, and nothing where there is none. */
function openBar() {
  if (!process.stderr.isTTY) return undefined;
  const bar = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage}% · {value}/{total} objects · {read}',
    hideCursor: true,
    clearOnComplete: true,
  });
  let started = false;
  return {
    show(event: ProgressEvent) {
      if (event.type !== 'phase' || event.phase !== 'read') return;
      const total = event.items?.total ?? 0;
      const read = `${megabytes(event.done)} read`;
      if (started) bar.update(event.items?.done ?? 0, { read });
      else bar.start(total, 0, { read });
      started = true;
    },
    close: () => (started ? bar.stop() : undefined),
  };
}

/** The report for people. */
function describe(report: UnpackReport): string {
  const { kinds, objects, deltas, written, existing, packBytes, looseBytes, milliseconds, peakMemory } = report;
  const lines = [
    `${objects} objects: ${kinds.commit} commits, ${kinds.tree} trees, ${kinds.blob} blobs, ${kinds.tag} tags; ${deltas} came as deltas`,
    `${written} written, ${existing} there before; ${megabytes(packBytes)} of pack became ${megabytes(looseBytes)} of files`,
    `${(milliseconds / 1000).toFixed(2)} s, ${megabytes(peakMemory)} of memory at most`,
  ];
  if (report.streamedObjects > 0) {
    lines.push(`${report.streamedObjects} went through a buffer of ${report.bufferBytes / 1024} KiB:`);
    lines.push(
      ...report.streamed.map(({ kind, name, size, reason }) => `  ${kind} ${name}, ${megabytes(size)}: ${reason}`),
    );
  }
  for (const { name, reference } of report.bundle?.references ?? []) lines.push(`${reference} ${name}`);
  return `${lines.join('\n')}\n`;
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
