import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { cancelledError, EngineError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { openGitRepository, type GitRepository } from './gitRepository';
import { openQuarantine } from './quarantine';
import type { UnpackSettings, UnpackTotals } from './unpackObjects';
import type { unpackPackEntries, writeLooseObjects } from './unpackTasks';
import { type UnpackArgs } from './unpackTasks';
import { newRingMemory } from './writeRing';

/** A pack or bundle: a file, or a stream such as standard input or a download. */
export type PackInput =
  { path: string } | { stream: AsyncIterable<Uint8Array>; name: string; totalBytes?: number; isNetwork?: boolean };

export interface UnpackOptions {
  /**
   * Bytes above which an object goes through a fixed buffer instead of memory. Without it, the repository's
   * `core.bigFileThreshold` counts, but never more than {@link defaultBigFileThreshold}: a limit of half a gigabyte, as
   * `git` has it, would break the promise of little memory, and streaming costs nothing.
   */
  bigFileThreshold?: number;
  /** Threads at work at once; without it as many as there are cores. 1 does everything in one thread. */
  jobs?: number;
  /** Whether every object must be well formed and every object that one names be there. */
  strict?: boolean;
  /** Whether files must be on the disk before they count; without it the repository's `core.fsync` decides. */
  fsync?: boolean;
}

export type UnpackReport = UnpackTotals & {
  repository: string;
  milliseconds: number;
  jobs: number;
};

export const defaultBigFileThreshold = 8 * 1024 * 1024;

/** Packs below this size are unpacked before another thread would have started. */
const worthThreads = 128 * 1024;

type UnpackPool = Pick<
  WorkerPool<{ unpackPackEntries: typeof unpackPackEntries; writeLooseObjects: typeof writeLooseObjects }>,
  'run'
>;

/**
 * Unpacks a pack or bundle into the loose objects of a repository, in worker threads. The repository has all of the
 * pack's objects afterwards, or, when this throws, none that it did not have before.
 *
 * @throws `destination` when the repository is none or cannot be written; else as `unpackObjects`.
 */
export async function unpackPack(
  input: PackInput,
  repositoryPath: string,
  options: UnpackOptions,
  pool: UnpackPool,
  operation: Operation,
): Promise<UnpackReport> {
  const begun = performance.now();
  const repository = openGitRepository(repositoryPath);
  const quarantine = openQuarantine(repository.objects);
  const jobs = Math.max(1, options.jobs ?? availableParallelism());
  try {
    const args = argsFor(input, repository, quarantine, options);
    const totals = await runThreads(input, args, threadsFor(args, jobs), pool, operation);
    return { ...totals, repository: repositoryPath, jobs, milliseconds: performance.now() - begun };
  } finally {
    await rm(quarantine, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The reading thread, and those that write beside it once it has begun. The first failure stops them all. */
async function runThreads(
  input: PackInput,
  args: UnpackArgs,
  writers: number,
  pool: UnpackPool,
  operation: Operation,
): Promise<UnpackTotals> {
  const { target, ring } = args.settings;
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  operation.signal.addEventListener('abort', onAbort, { once: true });
  if (operation.signal.aborted) stop.abort();
  const failures: Error[] = [];
  const onFailure = (error: unknown) => {
    failures.push(error instanceof Error ? error : new Error(String(error)));
    stop.abort();
  };
  const writing: Promise<unknown>[] = [];
  const startWriters = () => {
    // They start after the reading thread: else two unpackings could fill the pool with threads that only wait.
    if (writing.length > 0 || stop.signal.aborted) return;
    const quiet = { ...operation, signal: stop.signal, progress: () => undefined };
    for (let writer = 0; writer < writers; writer++) {
      writing.push(pool.run('writeLooseObjects', { target, ring }, quiet).catch(onFailure));
    }
  };
  const reading: Operation = {
    ...operation,
    signal: stop.signal,
    progress: (event) => {
      startWriters();
      operation.progress(event);
    },
  };
  try {
    const stream = 'stream' in input ? stoppable(input.stream, stop.signal) : undefined;
    const result = await pool.run('unpackPackEntries', args, reading, stream).catch((error: unknown) => {
      onFailure(error);
      return undefined;
    });
    await Promise.all(writing);
    const failure = firstCause(failures);
    if (failure !== undefined) throw failure;
    if (result === undefined) throw cancelledError();
    return result;
  } finally {
    operation.signal.removeEventListener('abort', onAbort);
  }
}

/** A stream that also ends while it waits for its other side, once it is to stop. */
async function* stoppable(stream: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]();
  let refuse: (reason: Error) => void = () => undefined;
  const onAbort = () => refuse(cancelledError());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        refuse = reject;
        if (signal.aborted) onAbort();
        iterator.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Nobody waits for the answer: a source that waits may never give it.
    iterator.return?.().catch(() => undefined);
  }
}

/** Threads that were stopped because of another's failure say that they were cancelled: the failure is what counts. */
function firstCause(failures: Error[]): Error | undefined {
  const isCancelled = (error: Error) => error instanceof EngineError && error.kind === 'cancelled';
  return failures.find((error) => !isCancelled(error)) ?? failures.at(0);
}

function argsFor(input: PackInput, repository: GitRepository, quarantine: string, options: UnpackOptions): UnpackArgs {
  const { objects, format, compression, shared } = repository;
  const settings: UnpackSettings = {
    target: { objects, quarantine, format, compression, shared, fsync: options.fsync ?? repository.fsync },
    bigFileThreshold:
      options.bigFileThreshold ?? Math.min(repository.bigFileThreshold ?? Infinity, defaultBigFileThreshold),
    strict: options.strict ?? false,
    origin: 'isNetwork' in input && input.isNetwork === true ? 'network' : 'corrupt',
    ring: newRingMemory(),
  };
  if ('path' in input) return { path: input.path, name: input.path, settings };
  return { name: input.name, totalBytes: input.totalBytes, settings };
}

function threadsFor(args: UnpackArgs, jobs: number): number {
  const bytes = args.path === undefined ? args.totalBytes : statSync(args.path, { throwIfNoEntry: false })?.size;
  return bytes !== undefined && bytes < worthThreads ? 0 : jobs - 1;
}
