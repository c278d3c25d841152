import * as l10n from '@vscode/l10n';
import { createReadStream } from 'node:fs';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { locateRepository } from '../store/repositoryFolders';
import { readSettings } from '../store/userHgrc';
import { localPeers } from '../server/localPeer';
import type { Tasks } from '../tasks';
import { openPeer } from '../wire/openPeer';
import { ChangelogGraph } from './changelogGraph';
import type { ChangesetWords } from './changesetWords';
import { countBytes } from './countBytes';
import { discover } from './discovery';
import { ourCapabilities } from './ourCapabilities';
import { demandRelated, wantedHeads } from './pull';
import type { PullRequest } from './pullRequest';
import { findSource, isBundleFile, locateSource } from './sources';

/** What is asked for, and whether all of it is to be kept. */
export interface IncomingRequest extends PullRequest {
  /** A folder that is not there yet, to keep what comes in, for `listIncomingFiles` and `readIncomingText`. */
  keepIn?: string;
}

/** What a pull would bring. */
export interface IncomingSummary {
  operation: 'incoming';
  source: string;
  root: string;
  /** Oldest first. */
  changesets: ChangesetWords[];
}

/**
 * Tells which changesets another repository has, or a bundle file, that are not here. Nothing is written, and of what the
 * other side sends no more is read than the changesets, unless it is to be kept.
 *
 * @throws errors of every kind
 */
export async function incoming(
  request: IncomingRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<IncomingSummary> {
  const { root, keepIn } = request;
  const repository = locateRepository(root);
  const { address } = findSource(repository, request.source);
  const location = locateSource(address, readSettings(repository.hg));
  if (isBundleFile(location)) {
    const name = l10n.t('bundle file');
    const file = { root, form: 'bundle', compression: 'none', name, origin: 'corrupt', keepIn } as const;
    const changesets = await workers.run('readIncoming', file, operation, createReadStream(location.address));
    return { operation: 'incoming', source: location.shown, root, changesets };
  }
  const peer = await openPeer(location, request.settings, operation, localPeers(workers));
  try {
    const nothing: IncomingSummary = { operation: 'incoming', source: peer.address, root, changesets: [] };
    const graph = new ChangelogGraph(await workers.run('readGraph', { root }, operation));
    const found = await discover(graph, peer, operation);
    demandRelated(graph, found, peer.address);
    const { common, remoteHeads, isIncoming } = await wantedHeads(
      peer,
      graph,
      found,
      { revisions: request.revisions, branch: location.fragment },
      operation,
    );
    if (!isIncoming) return nothing;
    const { bundle2 } = await peer.capabilities(operation);
    const isBundle2 = bundle2.size > 0;
    const wanted = { common, heads: remoteHeads };
    const { compression, mediaType, reason, body } = await peer.getbundle(
      isBundle2 ? { ...wanted, bundlecaps: ourCapabilities, cg: true } : wanted,
      operation,
    );
    operation.progress({ type: 'negotiated', format: 'changegroup', mediaType, compression, reason });
    const counted = countBytes(body, (done) =>
      operation.progress({ type: 'phase', phase: 'transfer', state: 'running', done, unit: 'bytes' }),
    );
    const form = isBundle2 ? 'bundle' : 'changegroup';
    const changesets = await workers.run(
      'readIncoming',
      { root, form, compression, name: 'changegroup', origin: 'network', keepIn },
      operation,
      counted.body,
    );
    return { ...nothing, changesets };
  } finally {
    await peer.close();
  }
}
