import * as l10n from '@vscode/l10n';
import { unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { nullNode, type Node } from '../revlog/node';
import { bookmarksOfListkeys } from '../store/bookmarks';
import { phasesOfListkeys } from '../store/phases';
import { checkRequirements } from '../store/requirements';
import { localPeers } from '../server/localPeer';
import type { Tasks } from '../tasks';
import { peerFor } from '../wire/openPeer';
import type { GetbundleArguments, Peer, WireResponse } from '../wire/peer';
import { buildClone, type CloneContent } from './buildClone';
import { fillByBundleOr } from './fillByBundle';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { countBytes } from './countBytes';
import { ourCapabilities } from './ourCapabilities';
import { receiveStream } from './receiveStream';
import { locateSource } from './sources';
import { formatName } from './streamName';
import type { ReceivedStreamClone, ReceiveStreamClone } from './receiveStreamClone';

/**
 * Clones a repository by copying the server's store as it is. Network on this thread, everything else in `workers`. The
 * clone is built beside its destination and renamed into place as the last act.
 *
 * @throws errors of every kind; afterwards the destination is as it was
 */
export async function streamClone(
  request: CloneRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneSummary> {
  const location = locateSource(request.source);
  const peer = peerFor(location, request.settings, localPeers(workers));
  workers.prepare(request.update.kind === 'none' ? 1 : 2);
  try {
    // A name that is not there costs a question, not a transfer.
    if (request.update.kind === 'revision') await peer.lookup(request.update.revision, operation);
    return await buildClone(request, location.fragment, operation, workers, (root, watched) =>
      fillByBundleOr(peer, root, 'stream', request, watched, workers, () => streamFrom(peer, root, watched, workers)),
    );
  } finally {
    await peer.close();
  }
}

async function streamFrom(
  peer: Peer,
  root: string,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<CloneContent> {
  const { format, response } = await requestStream(peer, operation);
  const counted = countBytes(response.body);
  const { compression, reason } = response;
  const wanted = {
    root,
    source: peer.address,
    compression,
    format,
    name: l10n.t('stream clone'),
    origin: 'network',
  } as const;
  const received = await receiveStream(wanted, counted.body, operation, workers);
  const { revisions } = await writeRefs(root, received, peer, operation, workers);
  return {
    source: peer.address,
    format: formatName(received.version),
    compression,
    reason,
    requirements: received.requirements,
    files: received.files,
    bytes: received.bytes,
    bytesOnWire: counted.total(),
    revisions,
    warnings: [],
  };
}

/**
 * What is asked for: everything, with bookmarks. A stream is the whole store, so there is no need to name its heads, and
 * no need to ask for them first.
 */
const streamArguments: GetbundleArguments = {
  bookmarks: true,
  bundlecaps: ourCapabilities,
  cg: false,
  common: [nullNode],
  listkeys: ['bookmarks'],
  stream: true,
};

interface RequestedStream {
  format: ReceiveStreamClone['format'];
  response: WireResponse;
}

/** Asks for the best stream that the server offers. @throws `unsupported` when it offers none */
async function requestStream(peer: Peer, operation: Operation): Promise<RequestedStream> {
  const report = (state: 'running' | 'done', done: number) =>
    operation.progress({ type: 'phase', phase: 'connect', state, done, total: 2, unit: 'requests' });
  report('running', 0);
  const capabilities = await peer.capabilities(operation);
  const legacy = capabilities.legacyStreamRequirements;
  if (legacy === undefined) {
    throw unsupportedError(l10n.t('The server at {0} does not offer stream clones.', peer.address), {
      subject: 'stream',
      advice: l10n.t(
        'Its owner can allow them with the setting server.uncompressed; a repository with secret changesets never offers them.',
      ),
    });
  }
  if (legacy.length > 0) checkRequirements(legacy, 'store', l10n.t("the server's repository"));
  report('running', 1);
  const stream: RequestedStream = capabilities.offersStreamV2
    ? { format: 'bundle', response: await peer.getbundle(streamArguments, operation) }
    : { format: { legacy: legacy }, response: await peer.streamOut(operation) };
  report('done', 2);
  const { compression, mediaType, reason } = stream.response;
  const format = formatName(stream.format === 'bundle' ? 2 : 1);
  operation.progress({ type: 'negotiated', format, mediaType, compression, reason });
  operation.log('info', `${format}, ${mediaType}, ${compression}: ${reason}`);
  return stream;
}

/** A legacy stream brings neither bookmarks nor phases: they are asked for; a bundle brings both. */
async function writeRefs(
  root: string,
  received: ReceivedStreamClone,
  peer: Peer,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<{ revisions: number }> {
  const bookmarks = received.bookmarks ?? bookmarksOfListkeys(await peer.listkeys('bookmarks', operation));
  const draftRoots = received.version === 1 ? await draftRootsOf(peer, operation) : undefined;
  return workers.run('finishRefs', { root, bookmarks, draftRoots }, operation);
}

async function draftRootsOf(peer: Peer, operation: Operation): Promise<Node[]> {
  const { publishing, draftRoots } = phasesOfListkeys(await peer.listkeys('phases', operation));
  return publishing ? [] : draftRoots;
}
