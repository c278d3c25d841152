import * as l10n from '@vscode/l10n';
import { setImmediate } from 'node:timers/promises';
import { openBundle } from '../bundle/openBundle';
import { refuseMandatory, type Bundle2Part } from '../bundle/bundle2Reader';
import {
  parseChangegroupVersion,
  passTreeManifests,
  readDeltaGroup,
  readFileName,
  type ChangegroupRevision,
  type ChangegroupVersion,
} from '../bundle/changegroupReader';
import { throwErrorPart } from '../bundle/errorPart';
import { zstdReady } from '../compression/block';
import type { CompressionName } from '../compression/codec';
import { decompressStream } from '../compression/stream';
import { ByteReader } from '../io/byteReader';
import { corruptError, integrityError } from '../io/errors';
import { throwIfCancelled, type Operation, type Unit } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import { DeltaPieces } from '../revlog/deltaPieces';
import { nullNode, nullRev, type Node } from '../revlog/node';
import { hashText } from '../revlog/nodeOfText';
import type { Revlog } from '../revlog/revlog';
import { openRevlogIfThere } from '../store/openRevlog';
import { locateRepository } from '../store/repositoryFolders';
import { ChangegroupFolderWriter } from './changegroupFolder';
import { isStream } from './receiveBundle';
import { parseChangesetWords, type ChangesetWords } from './changesetWords';

/** A bundle whose changesets are to be read, and the repository that it is for. */
export interface ReadIncoming {
  root: string;
  form: 'bundle' | 'changegroup';
  compression: CompressionName;
  name: string;
  origin: 'network' | 'corrupt';
  /** A folder that is not there yet, to keep everything in that comes: then all of it is read. */
  keepIn?: string;
}

const passedOver = new Set(['phase-heads', 'bookmarks', 'obsmarkers', 'hgtagsfnodes', 'listkeys']);

/**
 * Worker task: reads the changesets of a bundle that are not here yet, each checked against its node. Nothing is written
 * to the repository, and what comes after the changesets is read only to keep it.
 *
 * @throws `corrupt`, `integrity`, `protocol`, `unsupported`, and what the stream throws
 */
export async function readIncoming(request: ReadIncoming, context: TaskContext): Promise<ChangesetWords[]> {
  await zstdReady;
  using changelog = openRevlogIfThere(locateRepository(request.root), '00changelog.i');
  const body = decompressStream(request.compression, context.input);
  const reader = new ByteReader(body, request.name, request.origin);
  try {
    const read = (from: ByteReader, version: ChangegroupVersion) =>
      readChangegroup(from, version, changelog, request.keepIn, context);
    if (request.form === 'changegroup') return await read(reader, '01');
    const bundle = await openBundle(reader, throwErrorPart);
    if (bundle.kind === 'changegroup') return await read(bundle.reader, '01');
    if (bundle.kind === 'stream') throw isStream(request.name);
    for await (const part of bundle.parts) {
      if (part.type === 'stream2') throw isStream(request.name);
      if (part.type !== 'changegroup') {
        passOver(part);
        continue;
      }
      const version = parseChangegroupVersion(part.parameters.get('version') ?? '01');
      return await read(new ByteReader(part.payload, part.type), version);
    }
    return [];
  } finally {
    await reader.close();
  }
}

function passOver(part: Bundle2Part): void {
  throwErrorPart(part);
  if (!passedOver.has(part.type)) refuseMandatory(part);
}

async function readChangegroup(
  reader: ByteReader,
  version: ChangegroupVersion,
  changelog: Revlog | undefined,
  folder: string | undefined,
  operation: Operation,
): Promise<ChangesetWords[]> {
  if (folder === undefined) return readChangesets(reader, version, changelog, () => undefined, operation);
  using keep = new ChangegroupFolderWriter(folder);
  const keepAs = (history: string) => (revision: ChangegroupRevision) => keep.add(history, revision);
  const changesets = await readChangesets(reader, version, changelog, keepAs('00changelog.i'), operation);
  await keepRest(reader, version, keepAs, operation);
  keep.finish();
  return changesets;
}

/** Keeps manifests and files as they are; they are checked when they are asked for. */
async function keepRest(
  reader: ByteReader,
  version: ChangegroupVersion,
  keepAs: (history: string) => (revision: ChangegroupRevision) => void,
  operation: Operation,
): Promise<void> {
  const report = (phase: 'manifests' | 'files', done: number, unit: Unit) =>
    operation.progress({ type: 'phase', phase, state: 'done', done, unit });
  report('manifests', await readDeltaGroup(reader, version, keepAs('00manifest.i')), 'revisions');
  await passTreeManifests(reader, version);
  let files = 0;
  for (let file = await readFileName(reader); file !== undefined; file = await readFileName(reader)) {
    throwIfCancelled(operation);
    await readDeltaGroup(reader, version, keepAs(`data/${file}.i`));
    files++;
    if (files % 256 === 0) {
      operation.progress({ type: 'phase', phase: 'files', state: 'running', done: files, unit: 'files' });
      await setImmediate();
    }
  }
  report('files', files, 'files');
}

async function readChangesets(
  reader: ByteReader,
  version: ChangegroupVersion,
  changelog: Revlog | undefined,
  take: (revision: ChangegroupRevision) => void,
  operation: Operation,
): Promise<ChangesetWords[]> {
  const texts = new Map<Node, Uint8Array>();
  const changesets: ChangesetWords[] = [];
  const report = (state: 'running' | 'done') =>
    operation.progress({ type: 'phase', phase: 'changelog', state, done: changesets.length, unit: 'revisions' });
  await readDeltaGroup(reader, version, (revision) => {
    const { node, p1, p2, base, delta } = revision;
    throwIfCancelled(operation);
    take(revision);
    const pieces = new DeltaPieces(textOf(base, texts, changelog));
    pieces.add(delta, nullRev, { describe: () => `Changeset ${node}` });
    const text = pieces.apply();
    if (hashText(p1, p2, text) !== node) {
      throw integrityError(l10n.t('Changeset {0} does not have the content that its hash stands for.', node), {
        subject: node,
      });
    }
    texts.set(node, text);
    if (changelog?.find(node) !== undefined) return;
    changesets.push(
      parseChangesetWords(
        text,
        node,
        [p1, p2].filter((parent) => parent !== nullNode),
      ),
    );
    if (changesets.length % 256 === 0) report('running');
  });
  report('done');
  return changesets;
}

function textOf(node: Node, texts: ReadonlyMap<Node, Uint8Array>, changelog: Revlog | undefined): Uint8Array {
  if (node === nullNode) return new Uint8Array(0);
  const text = texts.get(node);
  if (text !== undefined) return text;
  const rev = changelog?.find(node);
  if (rev !== undefined && changelog !== undefined) return changelog.text(rev);
  throw corruptError(l10n.t('A changeset is a delta against one that is neither here nor in the bundle: {0}.', node), {
    subject: node,
  });
}
