import type { MessagePort } from 'node:worker_threads';
import { slabLength } from '../bundle/bundlePieces';
import { zstdReady } from '../compression/block';
import { protocolError, toPlainError, type PlainError } from '../io/errors';
import type { Operation } from '../io/operation';
import {
  getBundleChunks,
  streamOutChunks,
  tryBundleChunks,
  tryStreamOutChunks,
  type BundleChunks,
  type BundleInfo,
  type BundleSettings,
} from './getBundleChunks';
import { parseGetbundle } from './getbundleOptions';
import { serverCapabilities } from './serverCapabilities';
import { ServedRepository } from './servedRepository';
import type { ServedCommand } from './servingThread';
import { answerShortly } from './shortCommands';

/** What the thread of the network asks of the one that reads repositories. */
export type ToServing =
  | ({ type: 'ask'; id: number } & ServedCommand)
  /** The slab is one that has been sent, to be filled again. */
  | { type: 'next'; id: number; slab?: ArrayBuffer }
  | { type: 'close'; id: number };

/** What it answers: one answer or error to each question, one chunk, end or error to each `next`. */
export type FromServing =
  | { type: 'answer'; id: number; text: string }
  | { type: 'bundle'; id: number; info: BundleInfo }
  | { type: 'chunk'; id: number; slab: ArrayBuffer; length: number }
  | { type: 'end'; id: number }
  | { type: 'error'; id: number; error: PlainError };

interface OpenBundle {
  bundle: BundleChunks;
  /** Memory to be filled next, where some was given back. */
  spare: ArrayBuffer | undefined;
}

/**
 * Worker task: answers about repositories, for as long as the other end of the port stays open. Bundles are made chunk by
 * chunk as they are asked for, so that many clients, however slow, share one thread.
 */
export async function serveRepositories({ port }: { port: MessagePort }, operation: Operation): Promise<void> {
  // It may be closed before the first command can be taken.
  const closed = new Promise<void>((resolve) => port.once('close', resolve));
  await zstdReady;
  const repositories = new Map<string, ServedRepository>();
  const bundles = new Map<number, OpenBundle>();
  const asked = new Map<number, AbortController>();
  const post = (message: FromServing, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

  const served = (root: string) => {
    let repository = repositories.get(root);
    if (repository === undefined) repositories.set(root, (repository = new ServedRepository(root)));
    return repository;
  };
  const ask = async ({ id, root, command, args, ...how }: Extract<ToServing, { type: 'ask' }>) => {
    const repository = served(root);
    if (command === 'capabilities') {
      post({ type: 'answer', id, text: serverCapabilities(repository, how) });
      return;
    }
    if (command !== 'getbundle' && command !== 'stream_out') {
      post({ type: 'answer', id, text: answerShortly(repository, command, args) });
      return;
    }
    const open: Pick<OpenBundle, 'spare'> = { spare: undefined };
    const takeSlab = () => {
      const slab = Buffer.from(open.spare ?? new ArrayBuffer(slabLength(how.chunksInSlab)));
      open.spare = undefined;
      return slab;
    };
    const settings: BundleSettings = { ...how, takeSlab };
    const stop = new AbortController();
    asked.set(id, stop);
    const attended = { ...operation, signal: stop.signal };
    const [fromChangesets, fromFiles] =
      how.throwsErrors === true ? [tryBundleChunks, tryStreamOutChunks] : [getBundleChunks, streamOutChunks];
    const bundle =
      command === 'getbundle'
        ? await fromChangesets(repository, parseGetbundle(args), settings, attended)
        : await fromFiles(repository, settings, attended);
    if (stop.signal.aborted) bundle[Symbol.dispose]();
    else {
      bundles.set(id, Object.assign(open, { bundle }));
      post({ type: 'bundle', id, info: bundle.info });
    }
  };
  const next = (id: number, slab: ArrayBuffer | undefined) => {
    const open = bundles.get(id);
    if (open === undefined) throw protocolError(`There is no bundle ${id}.`);
    open.spare = slab;
    const result = open.bundle.chunks.next();
    if (result.done === true) {
      close(id);
      post({ type: 'end', id });
    } else {
      const { buffer, length } = result.value;
      post({ type: 'chunk', id, slab: buffer as ArrayBuffer, length }, [buffer as ArrayBuffer]);
    }
  };
  const close = (id: number) => {
    asked.get(id)?.abort();
    asked.delete(id);
    bundles.get(id)?.bundle[Symbol.dispose]();
    bundles.delete(id);
  };
  const failed = (id: number, error: unknown) => {
    close(id);
    post({ type: 'error', id, error: toPlainError(error) });
  };

  port.on('message', (message: ToServing) => {
    if (message.type === 'ask') {
      ask(message).catch((error: unknown) => failed(message.id, error));
      return;
    }
    try {
      if (message.type === 'close') close(message.id);
      else next(message.id, message.slab);
    } catch (error) {
      failed(message.id, error);
    }
  });
  const stopped = new Promise<void>((resolve) => {
    operation.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([closed, stopped]);
  for (const id of [...bundles.keys()]) close(id);
  port.close();
}
