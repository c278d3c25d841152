import * as l10n from '@vscode/l10n';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { bundleFile } from '../bundle/bundleFile';
import { slabLength } from '../bundle/bundlePieces';
import { parseBundleSpec, wholeBundleSpec, type BundleSpec } from '../bundle/bundleSpec';
import { streamRequirements } from '../bundle/streamWriter';
import { zstdReady } from '../compression/block';
import { asDestinationError, unsupportedError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { writeAll } from '../io/writeAll';
import type { Node } from '../revlog/node';
import { tryBundleChunks, tryStreamOutChunks, type BundleChunks, type BundleSettings } from './getBundleChunks';
import type { GetbundleOptions } from './getbundleOptions';
import { ServedRepository } from './servedRepository';
import { lookUp } from './shortCommands';

/** A bundle to be written. */
export interface BundleRequest {
  /** The folder that holds `.hg`. */
  root: string;
  /** Where it is written to; what is there is replaced. */
  file: string;
  /** What it is: `gzip-v2`, `none-v2;stream=v2` ... */
  type: string;
  /** Only these, with ancestors: nodes, tags, branches, bookmarks; everything when absent. */
  revisions?: readonly string[];
  /** Without these and their ancestors. */
  bases?: readonly string[];
}

/** What was written. */
export interface WrittenBundle {
  file: string;
  /** `stream v2`, `changegroup 02` ... */
  format: string;
  /** Bytes of the file. */
  size: number;
  changesets?: number;
  /** Files and bytes in a stream. */
  files?: number;
  bytes?: number;
  /** What a store must know to hold a stream. */
  requirements: string[];
}

const chunksInSlab = 32;
const lockPatience = 30_000;
/** What goes into a bundle beside changesets: as much as Mercurial 6.3 reads. */
const inBundles = new Map<string, readonly string[]>([
  ['changegroup', ['02']],
  ['hgtagsfnodes', []],
  ['stream', ['v2']],
]);

/**
 * Worker task: writes a bundle file beside its place, and puts it there when it is whole.
 *
 * @throws `protocol` for a type that is none; `unsupported` for one that cannot be written here, for a stream of some
 * changesets or of a repository with secret ones, and for revisions that are not there; `destination`, `lockHeld`, `corrupt`
 */
export async function writeBundle(request: BundleRequest, operation: Operation): Promise<WrittenBundle> {
  await zstdReady;
  const { file } = request;
  const spec = parseBundleSpec(wholeBundleSpec(request.type));
  const served = new ServedRepository(request.root);
  const requirements = streamRequirements(served.repository.requirements);
  const slab = Buffer.alloc(slabLength(chunksInSlab));
  const settings: BundleSettings = { takeSlab: () => slab, lockPatience, compressStreams: false };
  using bundle = await bundleOf(served, spec, request, settings, operation);
  const { format, changesets, files, bytes = 0 } = bundle.info;
  const body = bundleFile(spec, reported(bundle, operation), { bytes, files: files ?? 0, requirements });
  const size = await writeWhole(file, body);
  return { file, format, size, changesets, files, bytes: bundle.info.bytes, requirements };
}

async function bundleOf(
  served: ServedRepository,
  { isStream, version }: BundleSpec,
  { revisions, bases }: BundleRequest,
  settings: BundleSettings,
  operation: Operation,
): Promise<BundleChunks> {
  if (isStream && (revisions !== undefined || bases !== undefined)) {
    throw unsupportedError(l10n.t('A stream holds a whole store: it cannot be one of some revisions.'));
  }
  if (version === 'packed1') return tryStreamOutChunks(served, settings, operation);
  const options: GetbundleOptions = {
    isBundle2: version === 'v2',
    capabilities: inBundles,
    heads: revisions?.map((name) => nodeOf(served, name)),
    common: bases?.map((name) => nodeOf(served, name)) ?? [],
    changegroup: !isStream,
    stream: isStream,
    ...{ bookmarks: false, phases: false, obsmarkers: false, listkeys: [] },
  };
  const bundle = await tryBundleChunks(served, options, settings, operation);
  if (isStream || bundle.info.changesets !== 0) return bundle;
  bundle[Symbol.dispose]();
  throw unsupportedError(l10n.t('There are no changesets to be bundled.'));
}

function nodeOf(served: ServedRepository, name: string): Node {
  const node = lookUp(served, name);
  if (node === undefined) throw unsupportedError(l10n.t('There is no changeset {0} here.', name), { subject: name });
  return node;
}

/** What is in the bundle, told as it is taken. */
async function* reported({ info, chunks }: BundleChunks, operation: Operation): AsyncGenerator<Uint8Array> {
  let done = 0;
  const tell = (state: 'running' | 'done') =>
    operation.progress({ type: 'phase', phase: 'write', state, done, total: info.bytes, unit: 'bytes' });
  for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
    yield next.value;
    done += next.value.length;
    tell('running');
    // Chunks come without waiting: whoever stops this is heard in between.
    await new Promise((resolve) => setImmediate(resolve));
    throwIfCancelled(operation);
  }
  tell('done');
}

/** Gives the number of bytes. */
async function writeWhole(path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  const beside = `${path}.${process.pid}.part`;
  let size = 0;
  try {
    const file = openSync(beside, 'w');
    try {
      for await (const bytes of body) {
        writeAll(file, bytes);
        size += bytes.length;
      }
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw asDestinationError(error, path);
  }
  return size;
}
