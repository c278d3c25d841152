import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { asDestinationError, unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { nullNode, type Node } from '../revlog/node';
import { bookmarksOfListkeys } from '../store/bookmarks';
import { manyFiles } from '../store/fileRelay';
import { phasesOfListkeys } from '../store/phases';
import { checkRequirements } from '../store/requirements';
import { Staging } from '../store/staging';
import type { Tasks } from '../tasks';
import { parseLocation } from '../wire/location';
import { peerFor } from '../wire/openPeer';
import type { GetbundleArguments, Peer, WireResponse } from '../wire/peer';
import type { CloneRequest, CloneSummary } from './cloneRequest';
import { countBytes } from './countBytes';
import { ourCapabilities } from './ourCapabilities';
import { PhaseClock } from './phaseClock';
import type { ReceivedStreamClone, ReceiveStreamClone } from './receiveStreamClone';
import { updateClone, type UpdateOutcome } from './updateClone';

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
  const clock = new PhaseClock();
  const watched = clock.watch(operation);
  const location = parseLocation(request.source);
  const peer = peerFor(location, request.settings);
  const staging = Staging.beside(request.destination);
  workers.prepare(request.update.kind === 'none' ? 1 : 2);
  try {
    const stream = await requestStream(peer, watched);
    const counted = countBytes(stream.response.body);
    const wanted = {
      root: staging.path,
      source: location.shown,
      compression: stream.response.compression,
      format: stream.format,
    };
    const received = await receive(wanted, counted.body, watched, workers);
    const { revisions } = await writeRefs(staging.path, stream, received, peer, watched, workers);
    const outcome = await updateAsWished(staging.path, request, location.fragment, watched, workers);
    staging.commit(['.hg/requires', '.hg/store/requires']);
    return {
      operation: 'clone',
      source: location.shown,
      destination: request.destination,
      format: formatName(stream.format),
      compression: stream.response.compression,
      reason: stream.response.reason,
      requirements: received.requirements,
      files: received.files,
      bytes: received.bytes,
      bytesOnWire: counted.total(),
      revisions,
      phases: clock.phases,
      ...outcome,
    };
  } catch (error) {
    staging.discard();
    throw asDestinationError(error, request.destination);
  } finally {
    await peer.close();
  }
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
    throw unsupportedError(`The server at ${peer.address} does not offer stream clones.`, {
      subject: 'stream',
      advice:
        'Its owner can allow them with the setting server.uncompressed; a repository with secret changesets never offers them.',
    });
  }
  if (legacy.length > 0) checkRequirements(legacy, 'store', "the server's repository");
  report('running', 1);
  const stream: RequestedStream = capabilities.offersStreamV2
    ? { format: { version: 2 }, response: await peer.getbundle(streamArguments, operation) }
    : { format: { version: 1, requirements: legacy }, response: await peer.streamOut(operation) };
  report('done', 2);
  const { compression, mediaType, reason } = stream.response;
  operation.progress({ type: 'negotiated', format: formatName(stream.format), mediaType, compression, reason });
  operation.log('info', `${formatName(stream.format)}, ${mediaType}, ${compression}: ${reason}`);
  return stream;
}

/** One thread receives; when it says that many files are coming, another writes some of them. */
async function receive(
  request: Omit<ReceiveStreamClone, 'relay'>,
  body: AsyncIterable<Uint8Array>,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<ReceivedStreamClone> {
  const { port1: relay, port2: port } = new MessageChannel();
  let writing: Promise<void> | undefined;
  const write = async () => {
    try {
      await workers.run('writeRelayedFiles', { folder: join(request.root, '.hg'), port }, operation, undefined, [port]);
    } finally {
      // However it ended: whoever waits at the other end has to know.
      port.close();
    }
  };
  const watched: Operation = {
    ...operation,
    progress: (event) => {
      operation.progress(event);
      const isMuch = event.type === 'phase' && event.phase === 'transfer' && (event.items?.total ?? 0) >= manyFiles;
      // What goes wrong there is told to the one who receives.
      if (isMuch) writing ??= write().catch(() => undefined);
    },
  };
  try {
    return await workers.run('receiveStreamClone', { ...request, relay }, watched, body, [relay]);
  } finally {
    relay.close();
    port.close();
    await writing;
  }
}

/** A legacy stream brings neither bookmarks nor phases: they are asked for; a bundle brings both. */
async function writeRefs(
  root: string,
  stream: RequestedStream,
  received: ReceivedStreamClone,
  peer: Peer,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<{ revisions: number }> {
  const bookmarks = received.bookmarks ?? bookmarksOfListkeys(await peer.listkeys('bookmarks', operation));
  const draftRoots = stream.format.version === 1 ? await draftRootsOf(peer, operation) : undefined;
  return workers.run('finishRefs', { root, bookmarks, draftRoots }, operation);
}

async function draftRootsOf(peer: Peer, operation: Operation): Promise<Node[]> {
  const { publishing, draftRoots } = phasesOfListkeys(await peer.listkeys('phases', operation));
  return publishing ? [] : draftRoots;
}

async function updateAsWished(
  root: string,
  { update }: CloneRequest,
  branch: string | undefined,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<UpdateOutcome> {
  if (update.kind === 'none') return { warnings: [] };
  const wish = update.kind === 'revision' ? { revision: update.revision } : { branch };
  return updateClone(root, wish, operation, workers);
}

function formatName(format: ReceiveStreamClone['format']): string {
  return `stream v${format.version}`;
}
