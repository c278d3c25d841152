import { createReadStream } from 'node:fs';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { locateRepository } from '../store/repositoryFolders';
import type { Tasks } from '../tasks';
import { parseLocation } from '../wire/location';
import { openPeer } from '../wire/openPeer';
import { ChangelogGraph } from './changelogGraph';
import type { ChangesetWords } from './changesetWords';
import { discover } from './discovery';
import { ourCapabilities } from './ourCapabilities';
import { wantedHeads } from './pull';
import type { PullRequest } from './pullRequest';
import { findSource, isBundleFile } from './sources';

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
 * other side sends no more is read than the changesets.
 *
 * @throws errors of every kind
 */
export async function incoming(
  request: PullRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<IncomingSummary> {
  const { root } = request;
  const { address } = findSource(locateRepository(root), request.source);
  const location = parseLocation(address);
  if (isBundleFile(location)) {
    const file = { root, form: 'bundle', compression: 'none', name: 'bundle file', origin: 'corrupt' } as const;
    const changesets = await workers.run('readIncoming', file, operation, createReadStream(location.address));
    return { operation: 'incoming', source: location.shown, root, changesets };
  }
  const peer = await openPeer(location, request.settings, operation);
  try {
    const nothing: IncomingSummary = { operation: 'incoming', source: peer.address, root, changesets: [] };
    const graph = new ChangelogGraph(await workers.run('readGraph', { root }, operation));
    const found = await discover(graph, peer, operation);
    const { common, remoteHeads, isIncoming } = await wantedHeads(peer, graph, found, request.revisions, operation);
    if (!isIncoming) return nothing;
    const { bundle2 } = await peer.capabilities(operation);
    const isBundle2 = bundle2.size > 0;
    const wanted = { common, heads: remoteHeads };
    const { compression, body } = await peer.getbundle(
      isBundle2 ? { ...wanted, bundlecaps: ourCapabilities, cg: true } : wanted,
      operation,
    );
    const form = isBundle2 ? 'bundle' : 'changegroup';
    const changesets = await workers.run(
      'readIncoming',
      { root, form, compression, name: 'changegroup', origin: 'network' },
      operation,
      body,
    );
    return { ...nothing, changesets };
  } finally {
    await peer.close();
  }
}
