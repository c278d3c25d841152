import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { wholeBundleSpec } from '../bundle/bundleSpec';
import { quote } from '../bundle/quoting';
import { writableEngines } from '../compression/stream';
import { asDestinationError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { locateRepository } from '../store/repositoryFolders';
import type { Tasks } from '../tasks';
import { cloneBundlesFile } from './cloneBundlesFile';
import type { WrittenBundle } from './writeBundle';

/** Bundles for those who clone a repository. */
export interface CloneBundlesRequest {
  /** The folder that holds `.hg`. */
  root: string;
  /** Where bundles and their list are written to. */
  folder: string;
  /** Where that folder is reached by clients; its own address on this machine when absent. */
  baseUrl?: string;
  /** What is written, best first; a stream, and changesets in the best compression that there is here, when absent. */
  types?: readonly string[];
  /** Whether the repository itself names them from now on. */
  isInstalled: boolean;
}

/** What was written. */
export interface WrittenCloneBundles {
  bundles: (WrittenBundle & { url: string })[];
  /** The list that names them, best first, and its text. */
  manifest: string;
  text: string;
}

const stream = 'none-v2;stream=v2';
const fileNames: Record<string, string> = { [stream]: 'stream.hg' };
const manifestName = 'clonebundles.manifest';

/**
 * Writes bundles, then the list that names them: it never names what is not there. A client takes the first that suits it,
 * and what is newer than the bundle from the server.
 *
 * @throws as `writeBundle`
 * @see `hg help -e clonebundles`
 */
export async function writeCloneBundles(
  { root, folder, baseUrl, types = usualTypes(), isInstalled }: CloneBundlesRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<WrittenCloneBundles> {
  const repository = locateRepository(root);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw asDestinationError(error, folder);
  }
  const base = (baseUrl ?? pathToFileURL(folder).href).replace(/\/*$/, '/');
  const bundles: WrittenCloneBundles['bundles'] = [];
  const whole = types.map(wholeBundleSpec);
  for (const type of whole) {
    const name = fileNames[type] ?? `${type.replace(/[^a-z0-9]+/gi, '-')}.hg`;
    const bundle = await workers.run('writeBundle', { root, file: join(folder, name), type }, operation);
    bundles.push({ ...bundle, url: base + name });
  }
  const text = bundles
    .map(({ url, requirements }, at) => `${url} BUNDLESPEC=${specOf(whole[at], requirements)}\n`)
    .join('');
  const manifest = join(folder, manifestName);
  replaceFile(manifest, text);
  if (isInstalled) replaceFile(cloneBundlesFile(repository), text);
  return { bundles, manifest, text };
}

/** A stream says what a store must know to hold it, so that others do not fetch it in vain. */
function specOf(type: string, requirements: readonly string[]): string {
  const whole = type.includes('packed1') ? `${type};requirements=${requirements.join(',')}` : type;
  return whole.replace(/[=,]/g, quote);
}

function usualTypes(): string[] {
  return [stream, writableEngines.includes('zstd') ? 'zstd-v2' : 'gzip-v2'];
}

function replaceFile(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw asDestinationError(error, path);
  }
}
