import * as l10n from '@vscode/l10n';
import { rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { peekBundle } from '../bundle/peekBundle';
import { EngineError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import type { Tasks } from '../tasks';
import { openDownload } from '../wire/download';
import type { Peer } from '../wire/peer';
import type { WireSettings } from '../wire/wireSettings';
import {
  orderCloneBundles,
  parseCloneBundles,
  usableCloneBundles,
  withoutPassword,
  type CloneBundle,
} from './cloneBundleManifest';
import type { CloneBundleSettings } from './cloneBundleSettings';
import { countBytes } from './countBytes';
import { fillFromBundle, type BundleOrigin, type FilledFromBundle } from './fillFromBundle';

/** A new repository that a clone bundle has filled, as it was when the bundle was made. */
export interface FilledFromCloneBundle extends FilledFromBundle {
  /** Where the bundle was, without a password. */
  bundle: string;
  bytesOnWire: number;
  /** How often the connection broke and the rest was asked for. */
  resumptions: number;
}

/** What came of clone bundles: a repository, or why there is none; nothing where the server names no bundle. */
export interface TriedCloneBundle {
  filled?: FilledFromCloneBundle;
  warnings: string[];
}

/** Kinds of failure that the bundle is to blame for, and not this machine or the one who clones. */
const faultsOfBundle = new Set(['network', 'authentication', 'protocol', 'unsupported', 'corrupt', 'integrity']);

/**
 * Fills a new repository from the best of the bundles that the server names for clones, if there is one that can be used.
 * Where it fails, the repository is as it was, and the settings say whether the clone goes on without it.
 *
 * @throws what the bundle fails of, when the settings say so; `destination`, `lockHeld`, `cancelled`
 * @see `hg help -e clonebundles`
 */
export async function tryCloneBundle(
  root: string,
  peer: Peer,
  way: 'stream' | 'pull',
  settings: CloneBundleSettings,
  wire: WireSettings,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<TriedCloneBundle> {
  if (!settings.isOn) return { warnings: [] };
  const named = parseCloneBundles(await peer.clonebundles(operation));
  const needs = { way, isSecure: /^https:/i.test(peer.address), memory: totalmem() };
  const best = orderCloneBundles(usableCloneBundles(named, needs, operation.log), settings.prefers).at(0);
  if (best === undefined) return { warnings: [] };
  try {
    return { filled: await fill(root, peer.address, best, wire, operation, workers), warnings: [] };
  } catch (error) {
    if (!(error instanceof EngineError) || !faultsOfBundle.has(error.kind)) throw error;
    if (!settings.fallsBack) throw failed(best, error);
    await rm(join(root, '.hg'), { recursive: true, force: true });
    const warning = l10n.t('The clone bundle at {0} could not be used: {1}', withoutPassword(best.url), error.message);
    operation.log('warn', `${warning} Going on without it.`);
    return { warnings: [warning] };
  }
}

async function fill(
  root: string,
  source: string,
  best: CloneBundle,
  wire: WireSettings,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<FilledFromCloneBundle> {
  const bundleAddress = withoutPassword(best.url);
  operation.log('info', `Using the clone bundle at ${bundleAddress}.`);
  const download = await openDownload(new URL(best.url), wire, operation);
  operation.progress({ type: 'note', name: 'clone bundle', value: bundleAddress });
  const counted = countBytes(download.body);
  const { content, bundle } = await peekBundle(counted.body, l10n.t('clone bundle'), 'network');
  const from: BundleOrigin = {
    name: l10n.t('clone bundle'),
    origin: 'network',
    purpose: { operation: 'clonebundles', source: bundleAddress },
    total: download.total,
  };
  const filled = await fillFromBundle(root, source, content, bundle, from, operation, workers);
  return { ...filled, bundle: bundleAddress, bytesOnWire: counted.total(), resumptions: download.resumptions() };
}

function failed({ url }: CloneBundle, error: EngineError): EngineError {
  const { kind, message, subject, offset, status, realm } = error;
  return new EngineError(kind, l10n.t('The clone bundle at {0} failed: {1}', withoutPassword(url), message), {
    ...{ subject, offset, status, realm },
    cause: error,
    advice: [error.advice, l10n.t('To clone without it, set ui.clonebundles to no, or ui.clonebundlefallback to yes.')]
      .filter((sentence) => sentence !== undefined)
      .join(' '),
  });
}
