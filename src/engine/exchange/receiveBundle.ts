import * as l10n from '@vscode/l10n';
import { openBundle, type Bundle } from '../bundle/openBundle';
import { refuseMandatory, type Bundle2Part } from '../bundle/bundle2Reader';
import { parseBookmarks } from '../bundle/bookmarksPart';
import { hasTreeManifests, parseChangegroupVersion, type ChangegroupVersion } from '../bundle/changegroupReader';
import { throwErrorPart } from '../bundle/errorPart';
import { parseListkeys } from '../bundle/listkeysPart';
import { partBytes } from '../bundle/partBytes';
import { parsePhaseHeads } from '../bundle/phaseHeads';
import { parseTagsFiles } from '../bundle/tagsFiles';
import { zstdReady } from '../compression/block';
import type { CompressionName } from '../compression/codec';
import { decompressStream } from '../compression/stream';
import { ByteReader } from '../io/byteReader';
import { corruptError, unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import { CheckRing, type CheckMemory } from '../revlog/checkRing';
import type { Node } from '../revlog/node';
import { bookmarksOfListkeys } from '../store/bookmarks';
import { phasesOfListkeys, type RemotePhases } from '../store/phases';
import { checkRequirements } from '../store/requirements';
import { locateRepository } from '../store/repositoryFolders';
import { RepositoryChange, type ChangeSummary } from './repositoryChange';

/** A bundle that is to be received, and where it goes. The caller holds the repository's locks. */
export interface ReceiveBundle {
  root: string;
  /** What the bytes are: a bundle with its magic, or, from servers without bundle2, a changegroup without one. */
  form: 'bundle' | 'changegroup';
  /** What the whole of it is compressed in, beside what a bundle says of itself. */
  compression: CompressionName;
  /** What the stream is, for errors, and whether it comes off the network. */
  name: string;
  origin: 'network' | 'corrupt';
  /** For `undo.desc`. */
  purpose: { operation: string; source?: string };
  /** What the other side's diverged bookmarks are kept under. */
  sourceName: string;
  /** What the other side said beside the bundle. */
  remote: { heads: Node[]; bookmarks?: Map<string, Node>; phases?: RemotePhases };
  /** Shared with a thread that checks long texts, once there are many. */
  ring: CheckMemory;
}

/** What a bundle brought. */
export interface ReceivedBundle extends ChangeSummary {
  /** `changegroup 02`, or `nothing new`. */
  format: string;
}

const knownChangegroupParameters = new Set(['version', 'nbchanges', 'targetphase']);

/**
 * Worker task: receives a bundle into a repository, as one transaction.
 * @throws as `AppliedChangegroup.apply`; `unsupported` for requirements and parts that are not known; `protocol` for what
 * the server says went wrong. Afterwards the repository is as it was.
 */
export async function receiveBundle(request: ReceiveBundle, context: TaskContext): Promise<ReceivedBundle> {
  await zstdReady;
  const repository = locateRepository(request.root);
  checkRequirements(repository.requirements, 'store', l10n.t('this repository'));
  const body = decompressStream(request.compression, context.input);
  const reader = new ByteReader(body, request.name, request.origin);
  using change = new RepositoryChange(repository, request.purpose);
  try {
    const format = await receiveInto(change, reader, request, context);
    return { ...change.finish(request.sourceName, request.remote), format };
  } finally {
    await reader.close();
  }
}

async function receiveInto(
  change: RepositoryChange,
  reader: ByteReader,
  request: ReceiveBundle,
  operation: Operation,
): Promise<string> {
  const ring = new CheckRing(request.ring);
  if (request.form === 'changegroup') return receiveChangegroup(change, reader, '01', ring, operation);
  const bundle: Bundle = await openBundle(reader, passOver(operation));
  if (bundle.kind === 'changegroup') return receiveChangegroup(change, bundle.reader, '01', ring, operation);
  if (bundle.kind === 'stream') throw isStream(request.name);
  let format = 'nothing new';
  for await (const part of bundle.parts) {
    if (part.type === 'changegroup') {
      const version = versionOf(part);
      format = await receiveChangegroup(change, new ByteReader(part.payload, part.type), version, ring, operation);
    } else if (part.type === 'stream2') throw isStream(request.name);
    else await receiveSmallPart(change, part, operation);
  }
  return format;
}

async function receiveChangegroup(
  change: RepositoryChange,
  reader: ByteReader,
  version: ChangegroupVersion,
  ring: CheckRing,
  operation: Operation,
): Promise<string> {
  await change.addChangegroup(reader, version, ring, operation);
  if (!(await reader.atEnd())) {
    throw corruptError(l10n.t('The {0} goes on after its end, at offset {1}.', reader.name, reader.offset), {
      subject: reader.name,
      offset: reader.offset,
    });
  }
  return `changegroup ${version}`;
}

async function receiveSmallPart(change: RepositoryChange, part: Bundle2Part, operation: Operation): Promise<void> {
  const { type } = part;
  if (type === 'phase-heads') change.addPhaseHeads(parsePhaseHeads(await partBytes(part)));
  else if (type === 'bookmarks') change.addBookmarks(bookmarksOfListkeys(parseBookmarks(await partBytes(part))));
  else if (type === 'obsmarkers') change.addMarkers(await partBytes(part));
  else if (type === 'hgtagsfnodes') change.addTagsFiles(parseTagsFiles(await partBytes(part)));
  else if (type === 'listkeys') await receiveListkeys(change, part);
  else passOver(operation)(part);
}

async function receiveListkeys(change: RepositoryChange, part: Bundle2Part): Promise<void> {
  const keys = parseListkeys(await partBytes(part));
  const namespace = part.parameters.get('namespace');
  if (namespace === 'bookmarks') change.addBookmarks(bookmarksOfListkeys(keys));
  else if (namespace === 'phases') change.addRemotePhases(phasesOfListkeys(keys));
}

function versionOf(part: Bundle2Part): ChangegroupVersion {
  if (part.parameters.has('treemanifest')) throw hasTreeManifests();
  for (const name of part.mandatoryParameters) {
    if (knownChangegroupParameters.has(name)) continue;
    throw unsupportedError(l10n.t('The changegroup needs {0}, which Deltascope does not know.', JSON.stringify(name)), {
      subject: name,
    });
  }
  return parseChangegroupVersion(part.parameters.get('version') ?? '01');
}

function passOver(operation: Operation): (part: Bundle2Part) => void {
  return (part) => {
    throwErrorPart(part);
    refuseMandatory(part);
    operation.log('debug', `Passed over part ${part.type}.`);
  };
}

/** What is said when a stream is to be added to what is there already. */
export function isStream(name: string): Error {
  return unsupportedError(l10n.t('The {0} is a stream: it can only be cloned, not added to a repository.', name), {
    subject: name,
    advice: l10n.t('Clone from it into a new folder.'),
  });
}
