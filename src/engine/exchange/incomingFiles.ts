import { zstdReady } from '../compression/block';
import { parseFileText } from '../revlog/fileText';
import { nullNode, type Node } from '../revlog/node';
import type { RevisionText } from '../revlog/textTask';
import { locateRepository } from '../store/repositoryFolders';
import { parseChangeset } from '../workingcopy/changeset';
import { Manifest } from '../workingcopy/manifest';
import { IncomingTexts } from './incomingTexts';

/** What a changeset does to a file. */
export interface IncomingFile {
  /** Bytes as Latin-1. */
  path: string;
  change: 'added' | 'modified' | 'removed';
  /** Its revision in the changeset and in the first parent; the null node where it is not there. */
  after: Node;
  before: Node;
}

/** What is asked about incoming changesets: for which repository, and where they are kept. */
export interface AboutIncoming {
  root: string;
  folder: string;
}

/**
 * Worker task: the files that a changeset changes, against its first parent, by name.
 * @throws as `IncomingTexts.text`; `corrupt` for texts that are no changeset or manifest
 */
export async function listIncomingFiles(
  request: AboutIncoming & { node: Node; parent: Node },
): Promise<IncomingFile[]> {
  await zstdReady;
  using texts = new IncomingTexts(locateRepository(request.root), request.folder);
  const text = Buffer.from(texts.text('00changelog.i', request.node));
  const [after, before] = [request.node, request.parent].map((node) => manifestOf(texts, node));
  return filesOf(text).flatMap((path) => changeOf(path, after, before));
}

/** Worker task: the content of a file's revision, or no more than `limit` bytes of its beginning. @throws as {@link listIncomingFiles} */
export async function readIncomingText(
  request: AboutIncoming & { path: string; node: Node; limit?: number },
  context: { transfer: (...buffers: ArrayBuffer[]) => void },
): Promise<RevisionText> {
  await zstdReady;
  using texts = new IncomingTexts(locateRepository(request.root), request.folder);
  const { content } = parseFileText(texts.text(`data/${request.path}.i`, request.node), `Revision ${request.node}`);
  const bytes = new Uint8Array(content.subarray(0, request.limit));
  context.transfer(bytes.buffer);
  return { bytes, size: content.length };
}

/** The names between the date and the empty line. */
function filesOf(changeset: Buffer): string[] {
  return changeset.toString('latin1', 0, changeset.indexOf('\n\n')).split('\n').slice(3);
}

function manifestOf(texts: IncomingTexts, changeset: Node): Manifest {
  const subject = `Changeset ${changeset}`;
  const manifest =
    changeset === nullNode ? nullNode : parseChangeset(texts.text('00changelog.i', changeset), subject).manifest;
  return Manifest.parse(texts.text('00manifest.i', manifest), `Manifest ${manifest}`);
}

function changeOf(path: string, afterAll: Manifest, beforeAll: Manifest): IncomingFile[] {
  const after = nodeIn(afterAll, path);
  const before = nodeIn(beforeAll, path);
  // A merge may name what it took from its second parent, or what neither has.
  if (after === nullNode && before === nullNode) return [];
  const change = before === nullNode ? 'added' : after === nullNode ? 'removed' : 'modified';
  return [{ path, change, after, before }];
}

function nodeIn(manifest: Manifest, path: string): Node {
  const at = manifest.find(path);
  return at < 0 ? nullNode : manifest.node(at);
}
