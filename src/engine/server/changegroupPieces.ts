import type { BundlePiece } from '../bundle/bundlePieces';
import type { ChangegroupVersion } from '../bundle/changegroupReader';
import { endOfGroup, fileNamePiece } from '../bundle/changegroupWriter';
import { corruptError } from '../io/errors';
import { wholeAsDelta } from '../revlog/diff';
import { nullNode, nullRev, type Node, type Rev } from '../revlog/node';
import type { Revlog } from '../revlog/revlog';
import { openRevlog, openRevlogIfThere } from '../store/openRevlog';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { historyNames } from './historyNames';
import { decodeManifestLines, ManifestFiles, type ManifestLine } from './manifestFiles';
import { parseChangeset } from '../workingcopy/changeset';
import { deltaGroupPieces } from './deltaGroup';
import type { Outgoing } from './outgoing';
import type { ServedRepository, ServedView } from './servedRepository';

const nodeLength = 20;

/**
 * The pieces of a changegroup: changesets, manifests, files, each as a group of deltas.
 *
 * Where everything goes out, a history's own note of what brought a revision is enough. Elsewhere that note may name a
 * changeset that does not go out, so manifests are taken from the changesets and file revisions from the manifests.
 *
 * @throws `corrupt` for a history that cannot be read, and for one that does not hold what another refers to
 */
export function* changegroupPieces(
  served: ServedRepository,
  view: ServedView,
  outgoing: Outgoing,
  version: ChangegroupVersion,
): Generator<BundlePiece> {
  using manifest = openRevlogIfThere(served.repository, '00manifest.i');
  const links = outgoing.isAll ? undefined : new Map<Rev, Rev>();
  yield* changesets(served, view, outgoing, version, (node, changeset) => {
    if (links === undefined) return;
    const rev = node === nullNode ? nullRev : manifest?.find(node);
    if (rev === undefined) throw missing(manifest?.path ?? '00manifest.i', node);
    if (rev >= 0 && !links.has(rev)) links.set(rev, changeset);
  });
  const files = outgoing.isAll ? undefined : new ManifestFiles();
  if (manifest !== undefined) yield* manifestGroup(manifest, view, outgoing, version, links, files);
  yield endOfGroup;
  // Where there could be manifests of folders: there are none.
  if (version === '03') yield endOfGroup;
  yield* files === undefined
    ? allFiles(served.repository, view, version)
    : someFiles(served.repository, view, outgoing, version, files);
  yield endOfGroup;
}

function* changesets(
  served: ServedRepository,
  { graph }: ServedView,
  { revs, isCommon, isAll }: Outgoing,
  version: ChangegroupVersion,
  noteManifest: (node: Node, changeset: Rev) => void,
): Generator<BundlePiece> {
  using changelog = revs.length === 0 ? undefined : served.openChangelog();
  if (changelog !== undefined) {
    const link = Buffer.alloc(nodeLength);
    yield* deltaGroupPieces({
      revlog: changelog,
      version,
      revs,
      isKnown: (rev) => isCommon[rev] === 1,
      linkOf: (rev) => {
        graph.copyNode(rev, link, 0);
        return link;
      },
      onText: isAll
        ? undefined
        : (rev, text) => noteManifest(parseChangeset(text, changelog.describe(rev)).manifest, rev),
    });
  }
  yield endOfGroup;
}

/**
 * @param links which changeset is the first to name a manifest; absent where all of them go out
 * @param files where the file revisions of what goes out are noted
 */
function manifestGroup(
  manifest: Revlog,
  view: ServedView,
  { isCommon }: Outgoing,
  version: ChangegroupVersion,
  links: ReadonlyMap<Rev, Rev> | undefined,
  files: ManifestFiles | undefined,
): Iterable<BundlePiece> {
  const isKnown = (rev: Rev) => isCommon[manifest.linkrev(rev)] === 1;
  const linkOf = (rev: Rev) => links?.get(rev) ?? manifest.linkrev(rev);
  const revs =
    links === undefined
      ? broughtBefore(manifest, view.graph.length)
      : [...links.keys()].filter((rev) => !isKnown(rev)).sort((one, other) => one - other);
  return deltaGroupPieces({
    revlog: manifest,
    version,
    revs,
    isKnown,
    linkOf: linker(view, linkOf),
    onDelta: files && ((rev, delta) => files.add(addedLines(manifest, rev, delta), linkOf(rev))),
  });
}

/** What is being written just now belongs to changesets that nobody has asked for. */
function broughtBefore(revlog: Revlog, changesets: number): Rev[] {
  const revs: Rev[] = [];
  for (let rev = 0; rev < revlog.length; rev++) if (revlog.linkrev(rev as Rev) < changesets) revs.push(rev as Rev);
  return revs;
}

/** The lines that a delta adds; all lines of the manifest where the delta is not made of whole ones. */
function addedLines(manifest: Revlog, rev: Rev, delta: Uint8Array): ManifestLine[] {
  const subject = manifest.describe(rev);
  return decodeManifestLines(delta) ?? requireLines(decodeManifestLines(wholeAsDelta(manifest.rawText(rev))), subject);
}

function requireLines(lines: ManifestLine[] | undefined, subject: string): ManifestLine[] {
  if (lines !== undefined) return lines;
  throw corruptError(`${subject} is no manifest.`, { subject, advice: 'Run "hg verify".' });
}

/** Every revision of every file. */
function* allFiles(
  repository: RepositoryFolders,
  view: ServedView,
  version: ChangegroupVersion,
): Generator<BundlePiece> {
  for (const name of historyNames(repository)) {
    if (!name.startsWith('data/') || !name.endsWith('.i')) continue;
    using filelog = openRevlogIfThere(repository, name);
    if (filelog === undefined) continue;
    const revs = broughtBefore(filelog, view.graph.length);
    if (revs.length === 0) continue;
    yield fileNamePiece(name.slice('data/'.length, -'.i'.length));
    yield* deltaGroupPieces({
      revlog: filelog,
      version,
      revs,
      isKnown: () => false,
      linkOf: linker(view, (rev) => filelog.linkrev(rev)),
    });
    yield endOfGroup;
  }
}

function* someFiles(
  repository: RepositoryFolders,
  view: ServedView,
  { isCommon }: Outgoing,
  version: ChangegroupVersion,
  files: ManifestFiles,
): Generator<BundlePiece> {
  for (const [name, entries] of files.sorted()) {
    using filelog = openRevlog(repository, `data/${name}.i`);
    const isKnown = (rev: Rev) => isCommon[filelog.linkrev(rev)] === 1;
    const links = new Map<Rev, Rev>();
    for (const [node, link] of entries) {
      const rev = filelog.findNode(node, 0);
      if (rev === undefined) throw missing(filelog.path, node.toString('hex'));
      if (rev >= 0 && !links.has(rev) && !isKnown(rev)) links.set(rev, link);
    }
    if (links.size === 0) continue;
    yield fileNamePiece(name);
    yield* deltaGroupPieces({
      revlog: filelog,
      version,
      revs: [...links.keys()].sort((one, other) => one - other),
      isKnown,
      linkOf: linker(view, (rev) => links.get(rev) ?? rev),
    });
    yield endOfGroup;
  }
}

function linker({ graph }: ServedView, link: (rev: Rev) => Rev): (rev: Rev) => Uint8Array {
  const node = Buffer.alloc(nodeLength);
  return (rev) => {
    graph.copyNode(link(rev), node, 0);
    return node;
  };
}

function missing(path: string, node: string): Error {
  return corruptError(`${path} does not hold ${node}, which the history refers to.`, {
    subject: path,
    advice: 'Run "hg verify".',
  });
}
