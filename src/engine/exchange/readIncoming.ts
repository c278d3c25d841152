import { openBundle } from '../bundle/openBundle';
import { refuseMandatory, type Bundle2Part } from '../bundle/bundle2Reader';
import { parseChangegroupVersion, readDeltaGroup, type ChangegroupVersion } from '../bundle/changegroupReader';
import { throwErrorPart } from '../bundle/errorPart';
import { zstdReady } from '../compression/block';
import type { CompressionName } from '../compression/codec';
import { decompressStream } from '../compression/stream';
import { ByteReader } from '../io/byteReader';
import { corruptError, integrityError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { TaskContext } from '../io/taskServer';
import { DeltaPieces } from '../revlog/deltaPieces';
import { nullNode, nullRev, type Node } from '../revlog/node';
import { hashText } from '../revlog/nodeOfText';
import type { Revlog } from '../revlog/revlog';
import { openRevlogIfThere } from '../store/openRevlog';
import { locateRepository } from '../store/repositoryFolders';
import { isStream } from './receiveBundle';
import { parseChangesetWords, type ChangesetWords } from './changesetWords';

/** A bundle whose changesets are to be read, and the repository that it is for. */
export interface ReadIncoming {
  root: string;
  form: 'bundle' | 'changegroup';
  compression: CompressionName;
  name: string;
  origin: 'network' | 'corrupt';
}

const passedOver = new Set(['phase-heads', 'bookmarks', 'obsmarkers', 'hgtagsfnodes', 'listkeys']);

/**
 * Worker task: reads the changesets of a bundle that are not here yet, each checked against its node. Nothing is written,
 * and what comes after the changesets is not read.
 *
 * @throws `corrupt`, `integrity`, `protocol`, `unsupported`, and what the stream throws
 */
export async function readIncoming(request: ReadIncoming, context: TaskContext): Promise<ChangesetWords[]> {
  await zstdReady;
  using changelog = openRevlogIfThere(locateRepository(request.root), '00changelog.i');
  const body = decompressStream(request.compression, context.input);
  const reader = new ByteReader(body, request.name, request.origin);
  try {
    if (request.form === 'changegroup') return await readChangesets(reader, '01', changelog, context);
    const bundle = await openBundle(reader, throwErrorPart);
    if (bundle.kind === 'changegroup') return await readChangesets(bundle.reader, '01', changelog, context);
    if (bundle.kind === 'stream') throw isStream(request.name);
    for await (const part of bundle.parts) {
      if (part.type === 'stream2') throw isStream(request.name);
      if (part.type !== 'changegroup') {
        passOver(part);
        continue;
      }
      const version = parseChangegroupVersion(part.parameters.get('version') ?? '01');
      return await readChangesets(new ByteReader(part.payload, part.type), version, changelog, context);
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

async function readChangesets(
  reader: ByteReader,
  version: ChangegroupVersion,
  changelog: Revlog | undefined,
  operation: Operation,
): Promise<ChangesetWords[]> {
  const texts = new Map<Node, Uint8Array>();
  const changesets: ChangesetWords[] = [];
  const report = (state: 'running' | 'done') =>
    operation.progress({ type: 'phase', phase: 'changelog', state, done: changesets.length, unit: 'revisions' });
  await readDeltaGroup(reader, version, ({ node, p1, p2, base, delta }) => {
    throwIfCancelled(operation);
    const pieces = new DeltaPieces(textOf(base, texts, changelog));
    pieces.add(delta, nullRev, { describe: () => `Changeset ${node}` });
    const text = pieces.apply();
    if (hashText(p1, p2, text) !== node) {
      throw integrityError(`Changeset ${node} does not have the content that its hash stands for.`, { subject: node });
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
  throw corruptError(`A changeset is a delta against one that is neither here nor in the bundle: ${node}.`, {
    subject: node,
  });
}
