import * as l10n from '@vscode/l10n';
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { peekBundle } from '../bundle/peekBundle';
import { protocolError, unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { nullNode, type Node } from '../revlog/node';
import { bookmarksOfListkeys } from '../store/bookmarks';
import { exchangesMarkers } from '../store/evolution';
import { phasesOfListkeys } from '../store/phases';
import { locateRepository } from '../store/repositoryFolders';
import { readSettings } from '../store/userHgrc';
import { writingTo } from '../store/writingRepository';
import { localPeers } from '../server/localPeer';
import type { Tasks } from '../tasks';
import { openPeer } from '../wire/openPeer';
import type { Peer, WireResponse } from '../wire/peer';
import { ChangelogGraph } from './changelogGraph';
import { countBytes, reportTransfer } from './countBytes';
import { discover, type Discovered } from './discovery';
import { ourCapabilities } from './ourCapabilities';
import { PhaseClock } from './phaseClock';
import type { PullRequest, PullSummary } from './pullRequest';
import type { ReceiveBundle } from './receiveBundle';
import { receiveChanges } from './receiveChanges';
import { findSource, isBundleFile, locateSource } from './sources';

/**
 * Brings into a repository what another one has and it has not: changesets, phases, bookmarks, obsolescence markers. The
 * working copy is not touched. Network on this thread, everything else in `workers`.
 *
 * @throws errors of every kind; afterwards the repository is as it was
 */
export async function pull(
  request: PullRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<PullSummary> {
  const repository = locateRepository(request.root);
  const source = findSource(repository, request.source);
  const location = locateSource(source.address, readSettings(repository.hg));
  if (isBundleFile(location)) return unbundle({ root: request.root, bundle: location.address }, operation, workers);
  const peer = await openPeer(location, request.settings, operation, localPeers(workers));
  try {
    return await writingTo(repository, operation, () =>
      pullFrom(peer, { ...request, branch: location.fragment, sourceName: source.name }, operation, workers),
    );
  } finally {
    await peer.close();
  }
}

/** Adds a bundle file to a repository. @throws as {@link pull} */
export async function unbundle(
  { root, bundle }: { root: string; bundle: string },
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<PullSummary> {
  return writingTo(locateRepository(root), operation, () =>
    receiveBundleFile(root, resolve(bundle), operation, workers),
  );
}

/** Adds a bundle file to a repository that nobody else writes to. */
export async function receiveBundleFile(
  root: string,
  path: string,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<PullSummary> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== false) throw noBundleFile(path);
  const clock = new PhaseClock();
  const watched = clock.watch(operation);
  const counted = countBytes(createReadStream(path), reportTransfer(watched, stats.size));
  const name = l10n.t('bundle file');
  const { compression, bundle } = await peekBundle(counted.body, name, 'corrupt');
  const received = await receiveChanges(
    {
      root,
      form: 'bundle',
      compression: 'none',
      name,
      origin: 'corrupt',
      purpose: { operation: 'unbundle', source: path },
      sourceName: '1',
      remote: { heads: [] },
    },
    bundle,
    watched,
    workers,
  );
  return {
    operation: 'unbundle',
    source: path,
    root,
    compression,
    reason: l10n.t('a file'),
    roundTrips: 0,
    bytesOnWire: counted.total(),
    phases: clock.phases,
    warnings: [],
    ...received,
  };
}

function noBundleFile(path: string): Error {
  return protocolError(l10n.t('There is no bundle file at {0}.', path), {
    subject: path,
    advice: l10n.t('Check the path; a repository is pulled from.'),
  });
}

/** Pulls from an open peer into a repository that nobody else writes to. */
export async function pullFrom(
  peer: Peer,
  request: PullRequest & { branch?: string; sourceName: string; hasCloneBundle?: boolean },
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<PullSummary> {
  const clock = new PhaseClock();
  const watched = clock.watch(operation);
  const graph = new ChangelogGraph(await workers.run('readGraph', { root: request.root }, watched));
  const found = await discover(graph, peer, watched);
  if (request.mayBeUnrelated !== true) demandRelated(graph, found, peer.address);
  const wanted = await wantedHeads(peer, graph, found, request, watched);
  const { response, ...asked } = await requestBundle(peer, wanted, request, watched);
  const counted = countBytes(response.body, reportTransfer(watched));
  const received = await receiveChanges(
    { ...asked, ...bundleFrom(peer, request, response), remote: { ...asked.remote, heads: wanted.remoteHeads } },
    counted.body,
    watched,
    workers,
  );
  return {
    operation: 'pull',
    source: peer.address,
    root: request.root,
    compression: response.compression,
    reason: response.reason,
    roundTrips: found.roundTrips,
    bytesOnWire: counted.total(),
    phases: clock.phases,
    warnings: [],
    ...received,
  };
}

/** Histories that have nothing in common are seldom meant to come together, and cannot be told apart afterwards. */
export function demandRelated(graph: ChangelogGraph, { common, isIncoming }: Discovered, address: string): void {
  if (graph.length === 0 || !isIncoming || common.some((node) => node !== nullNode)) return;
  throw unsupportedError(l10n.t('{0} has nothing in common with this repository.', address), {
    subject: address,
    advice: l10n.t('Check the address. If the two shall come together, pull with --force at a command line.'),
  });
}

/**
 * Revisions that were asked for take the place of the other side's heads, and so do the heads of the branch, or the revision,
 * that the address names behind its `#`.
 */
export async function wantedHeads(
  peer: Peer,
  graph: ChangelogGraph,
  found: Discovered,
  { revisions = [], branch }: { revisions?: readonly string[]; branch?: string },
  operation: Operation,
): Promise<Discovered> {
  if (revisions.length === 0 && branch === undefined) return found;
  const remoteHeads: Node[] = branch === undefined ? [] : await headsOfBranch(peer, branch, operation);
  for (const revision of revisions) remoteHeads.push(await peer.lookup(revision, operation));
  return { ...found, remoteHeads, isIncoming: remoteHeads.some((node) => graph.find(node) === undefined) };
}

async function headsOfBranch(peer: Peer, branch: string, operation: Operation): Promise<Node[]> {
  const branches = await peer.branchmap(operation);
  return branches.get(branch) ?? [await peer.lookup(branch, operation)];
}

interface RequestedBundle extends Pick<ReceiveBundle, 'form'> {
  remote: Omit<ReceiveBundle['remote'], 'heads'>;
  response: WireResponse;
}

/** Asks for what is missing, with phases, bookmarks and markers in the same answer where the server can. */
async function requestBundle(
  peer: Peer,
  wanted: Discovered,
  { root, hasCloneBundle }: { root: string; hasCloneBundle?: boolean },
  operation: Operation,
): Promise<RequestedBundle> {
  const { bundle2 } = await peer.capabilities(operation);
  const { common, remoteHeads, isIncoming } = wanted;
  const takesMarkers = exchangesMarkers(readSettings(locateRepository(root).hg));
  const bookmarksInBundle = bundle2.has('bookmarks');
  const phasesInBundle = bundle2.get('phases')?.includes('heads') === true;
  const bookmarks = bookmarksInBundle ? undefined : bookmarksOfListkeys(await peer.listkeys('bookmarks', operation));
  const phases = phasesInBundle ? undefined : phasesOfListkeys(await peer.listkeys('phases', operation));
  const remote = { bookmarks, phases };
  const heads = remoteHeads;
  if (bundle2.size === 0) {
    const response = isIncoming ? await peer.getbundle({ common, heads }, operation) : emptyResponse();
    report(operation, response, isIncoming ? 'changegroup 01' : 'nothing new');
    return { form: isIncoming ? 'changegroup' : 'bundle', remote, response };
  }
  const response = await peer.getbundle(
    {
      bundlecaps: ourCapabilities,
      common,
      heads,
      cg: isIncoming,
      ...(hasCloneBundle === true && { cbattempted: true }),
      ...(bookmarksInBundle && { bookmarks: true }),
      ...(phasesInBundle && { phases: true }),
      ...(bundle2.has('obsmarkers') && takesMarkers && { obsmarkers: true }),
    },
    operation,
  );
  report(operation, response, isIncoming ? 'changegroup' : 'nothing new');
  return { form: 'bundle', remote, response };
}

function report(operation: Operation, response: WireResponse, format: string): void {
  const { mediaType, compression, reason } = response;
  operation.progress({ type: 'negotiated', format, mediaType, compression, reason });
  operation.log('info', `${format}, ${mediaType}, ${compression}: ${reason}`);
}

/** A bundle2 without parts: for when there is nothing to ask for. */
const emptyResponse = (): WireResponse => ({
  mediaType: '',
  compression: 'none',
  reason: l10n.t('nothing had to be sent'),
  body: {
    async *[Symbol.asyncIterator]() {
      yield await Promise.resolve(Buffer.from('HG20\0\0\0\0\0\0\0\0', 'latin1'));
    },
  },
});

function bundleFrom(
  peer: Peer,
  { root, sourceName }: { root: string; sourceName: string },
  { compression }: WireResponse,
): Omit<ReceiveBundle, 'form' | 'remote' | 'ring'> {
  const purpose = { operation: 'pull', source: peer.address };
  return { root, compression, name: 'changegroup', origin: 'network', purpose, sourceName };
}
