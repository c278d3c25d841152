import * as l10n from '@vscode/l10n';
import type { MessagePort } from 'node:worker_threads';
import type { CompressionName } from '../compression/codec';
import { decompressStream } from '../compression/stream';
import { refuseMandatory, type Bundle2Part } from '../bundle/bundle2Reader';
import { openBundle } from '../bundle/openBundle';
import { parseBookmarks } from '../bundle/bookmarksPart';
import { throwErrorPart } from '../bundle/errorPart';
import { parseListkeys } from '../bundle/listkeysPart';
import { partBytes } from '../bundle/partBytes';
import { parsePhaseHeads, phases } from '../bundle/phaseHeads';
import type { StreamTotals } from '../bundle/streamPayload';
import { readStreamV1, readStreamV1Head } from '../bundle/streamV1';
import { parseStreamV2Header, readStreamV2 } from '../bundle/streamV2';
import { ByteReader } from '../io/byteReader';
import { protocolError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import type { Node } from '../revlog/node';
import { bookmarksOfListkeys } from '../store/bookmarks';
import { FileRelay, manyFiles } from '../store/fileRelay';
import { createRepository } from '../store/newRepository';
import { requirementsOfClone } from '../store/requirements';
import { StoreWriter } from '../store/storeWriter';

/** What is to be received, and where it goes. */
export interface ReceiveStreamClone {
  /** The folder that becomes the repository; it is there and empty. */
  root: string;
  /** The address for `hgrc`. */
  source: string;
  compression: CompressionName;
  /** What the bytes are: a bundle with its magic, or what `stream_out` answers, with what the server says it requires. */
  format: 'bundle' | { legacy: string[] };
  /** What the stream is, for errors, and whether it comes off the network. */
  name: string;
  origin: 'network' | 'corrupt';
  /** The end of a channel whose other end a thread serves that writes files, once many have been announced. */
  relay: MessagePort;
}

/** What a stream clone brought. */
export interface ReceivedStreamClone extends StreamTotals {
  version: 1 | 2;
  requirements: string[];
  /** The server's bookmarks, where it sent them along. */
  bookmarks?: Map<string, Node>;
  /** The heads of what is not public, where the server sent them along. */
  draftHeads: Node[];
}

/** Progress is told after so many files, or so many bytes of one. */
const progressFiles = 64;
const progressBytes = 1 << 20;

/**
 * Receives a stream clone into a new repository: the task of the worker to which the response is sent.
 * @throws `unsupported` for requirements that are not known, `corrupt`, `protocol`, `network`, `destination`, `cancelled`
 */
export async function receiveStreamClone(
  request: ReceiveStreamClone,
  context: TaskContext,
): Promise<ReceivedStreamClone> {
  const body = decompressStream(request.compression, context.input);
  const reader = new ByteReader(body, request.name, request.origin);
  try {
    return request.format === 'bundle'
      ? await receiveBundle(reader, request, context)
      : await receiveLegacy(reader, request, request.format.legacy, context);
  } finally {
    request.relay.close();
    await reader.close();
  }
}

async function receiveLegacy(
  reader: ByteReader,
  request: ReceiveStreamClone,
  streamed: string[],
  operation: Operation,
): Promise<ReceivedStreamClone> {
  const totals = await readStreamV1Head(reader);
  const requirements = prepareRepository(request, streamed);
  using store = new StoreWriter(request.root, { hasEncodedFolders: true, relay: relayFor(request, totals) });
  await readStreamV1(reader, totals, store, reportTo(operation, totals));
  await store.finish();
  return { version: 1, ...totals, requirements, draftHeads: [] };
}

async function receiveBundle(
  reader: ByteReader,
  request: ReceiveStreamClone,
  operation: Operation,
): Promise<ReceivedStreamClone> {
  const bundle = await openBundle(reader, onInterrupt(operation));
  if (bundle.kind === 'stream') return receiveLegacy(bundle.reader, request, bundle.requirements, operation);
  if (bundle.kind === 'changegroup')
    throw protocolError(l10n.t('The {0} is no stream.', request.name), { subject: request.name });
  let received: ReceivedStreamClone | undefined;
  let bookmarks: Map<string, Node> | undefined;
  const draftHeads: Node[] = [];
  for await (const part of bundle.parts) {
    throwErrorPart(part);
    if (part.type === 'stream2') {
      if (received !== undefined) throw protocolError(l10n.t('The server sent two streams.'), { subject: part.type });
      received = await receiveStreamPart(part, request, operation);
    } else if (part.type === 'bookmarks') {
      bookmarks = bookmarksOfListkeys(parseBookmarks(await partBytes(part)));
    } else if (part.type === 'listkeys') {
      const keys = parseListkeys(await partBytes(part));
      if (part.parameters.get('namespace') === 'bookmarks') bookmarks ??= bookmarksOfListkeys(keys);
    } else if (part.type === 'phase-heads') {
      const heads = parsePhaseHeads(await partBytes(part));
      draftHeads.push(...heads.filter(({ phase }) => phase === phases.draft).map(({ node }) => node));
    } else {
      onInterrupt(operation)(part);
    }
  }
  if (received === undefined) throw protocolError(l10n.t('The server sent no stream.'), { subject: 'stream2' });
  return { ...received, bookmarks, draftHeads };
}

async function receiveStreamPart(
  part: Bundle2Part,
  request: ReceiveStreamClone,
  operation: Operation,
): Promise<ReceivedStreamClone> {
  const header = parseStreamV2Header(part);
  const requirements = prepareRepository(request, header.requirements);
  using store = new StoreWriter(request.root, { relay: relayFor(request, header) });
  const payload = new ByteReader(part.payload, request.name, 'corrupt');
  await readStreamV2(payload, header, store, reportTo(operation, header));
  await store.finish();
  return { version: 2, files: header.files, bytes: header.bytes, requirements, draftHeads: [] };
}

/** Of few files there is nothing to share. */
function relayFor({ relay }: ReceiveStreamClone, { files }: StreamTotals): FileRelay | undefined {
  return files >= manyFiles ? new FileRelay(relay) : undefined;
}

function prepareRepository(request: ReceiveStreamClone, streamed: string[]): string[] {
  const requirements = requirementsOfClone(streamed);
  createRepository(request.root, { requirements, defaultPath: request.source });
  return [...requirements].sort();
}

/** What the server says in between is logged; what it insists on and we do not know is refused. */
function onInterrupt(operation: Operation): (part: Bundle2Part) => void {
  return (part) => {
    throwErrorPart(part);
    refuseMandatory(part);
    operation.log('debug', `Passed over part ${part.type}.`);
  };
}

function reportTo(operation: Operation, totals: StreamTotals): (files: number, bytes: number) => void {
  const report = (files: number, bytes: number, state: 'running' | 'done') =>
    operation.progress({
      type: 'phase',
      phase: 'transfer',
      state,
      done: bytes,
      total: totals.bytes,
      unit: 'bytes',
      items: { done: files, total: totals.files, unit: 'files' },
    });
  let [toldFiles, toldBytes] = [0, 0];
  report(0, 0, 'running');
  return (files, bytes) => {
    throwIfCancelled(operation);
    if (files === totals.files) report(files, bytes, 'done');
    else if (files - toldFiles >= progressFiles || bytes - toldBytes >= progressBytes) {
      [toldFiles, toldBytes] = [files, bytes];
      report(files, bytes, 'running');
    }
  };
}
