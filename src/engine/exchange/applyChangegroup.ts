import * as l10n from '@vscode/l10n';
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { dirname } from 'node:path';
import {
  passTreeManifests,
  readDeltaGroup,
  readFileName,
  type ChangegroupRevision,
  type ChangegroupVersion,
} from '../bundle/changegroupReader';
import type { ByteReader } from '../io/byteReader';
import { corruptError, type EngineError } from '../io/errors';
import { throwIfCancelled, type Operation, type PhaseName, type Unit } from '../io/operation';
import type { CheckRing } from '../revlog/checkRing';
import type { Node, Rev } from '../revlog/node';
import type { DeltaSettings } from '../revlog/policy/deltaSettings';
import { Revlog } from '../revlog/revlog';
import { RevlogWriter, type WriteHooks } from '../revlog/revlogWriter';
import { whyWithoutText } from '../revlog/revisionFlags';
import { openRevlogIfThere } from '../store/openRevlog';
import { parseChangeset } from '../workingcopy/changeset';
import { PromisedFiles } from './promisedFiles';
import { belongsInFncache } from '../store/fncache';
import { storeFile } from '../store/journal';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { checkStoreName } from '../store/storeNames';
import type { Transaction } from '../store/transaction';

/** Where a changegroup goes. */
export interface ChangegroupTarget {
  repository: RepositoryFolders;
  transaction: Transaction;
  settings: DeltaSettings;
  /** Where another thread checks long texts. */
  ring?: CheckRing;
}

/** What a changegroup brought that was not here before. */
export interface AddedHistory {
  changesets: Node[];
  manifests: number;
  /** Files that got revisions, and how many of those there were. */
  files: number;
  fileRevisions: number;
}

/** What is known of a changegroup by the time its manifests and files come. */
interface Expected {
  /** The revision of a changeset. */
  linkOf: (node: Node) => number | undefined;
  promised: PromisedFiles;
}

const changelogName = '00changelog.i';
const manifestName = '00manifest.i';
/** Where the changelog grows until the transaction ends, so that nobody sees changesets whose files are not there yet. */
const waitingName = '00changelog.i.a';
const progressRevisions = 256;

/**
 * Adds a changegroup to a store: changesets, manifests, then file by file. Every text is checked against its node. The
 * changelog is written beside itself: {@link AppliedChangegroup.show} puts it in place, as the last change before the
 * transaction is committed.
 *
 * @throws `corrupt` for what cannot be, or refers to what is neither here nor there; `integrity` for a text that is not
 * what its node stands for; `destination`, `cancelled`, and what the reader throws
 */
export class AppliedChangegroup {
  private constructor(
    private readonly target: ChangegroupTarget,
    readonly added: AddedHistory,
  ) {}

  static async apply(
    reader: ByteReader,
    version: ChangegroupVersion,
    target: ChangegroupTarget,
    operation: Operation,
  ): Promise<AppliedChangegroup> {
    const links = new Map<Node, number>();
    using changelog = openChangelog(target);
    const before = changelog.length;
    const wanted = await addChangesets(reader, version, changelog, links, operation);
    const linkOf = (node: Node) => links.get(node) ?? changelog.find(node);
    const promised = new PromisedFiles();
    const manifests = await addManifests(reader, version, target, { linkOf, wanted, promised }, operation);
    const files = await addFiles(reader, version, target, { linkOf, promised }, operation);
    const nodes = Array.from({ length: changelog.length - before }, (_, at) => changelog.node((before + at) as Rev));
    changelog.close();
    return new AppliedChangegroup(target, { changesets: nodes, manifests, ...files });
  }

  /** The changelog as it will be. */
  openChangelog(): Revlog {
    return openWaitingChangelog(this.target.repository);
  }

  /** Puts the changelog in place. */
  show(): void {
    const { repository, transaction } = this.target;
    const shown = storeFile(repository, changelogName);
    const waiting = storeFile(repository, waitingName);
    if (!existsSync(waiting)) return;
    if (existsSync(shown) && isInline(shown) && !isInline(waiting)) {
      transaction.willReplace({ area: 'store', name: changelogName });
    }
    renameSync(waiting, shown);
  }
}

function openWaitingChangelog(repository: RepositoryFolders): Revlog {
  return Revlog.open(storeFile(repository, waitingName), { chunkPath: storeFile(repository, '00changelog.d') });
}

function isInline(path: string): boolean {
  using revlog = Revlog.open(path, { chunkPath: path });
  return revlog.isInline;
}

function openChangelog({ repository, transaction, settings }: ChangegroupTarget): RevlogWriter {
  const shown = storeFile(repository, changelogName);
  const waiting = storeFile(repository, waitingName);
  transaction.temporary(waitingName);
  if (existsSync(shown)) copyFileSync(shown, waiting);
  const hooks = transaction.hooksFor(changelogName, waiting);
  const paths = { index: waiting, chunks: storeFile(repository, '00changelog.d') };
  return RevlogWriter.open(paths, changelogSettings(settings), {
    ...hooks,
    // The index that is replaced is ours; the one that is shown is looked after when it is.
    willReplace: (path) => path !== waiting && hooks.willReplace?.(path),
  });
}

/** Changesets have little in common with each other: each is stored whole. */
function changelogSettings(settings: DeltaSettings): DeltaSettings {
  return { ...settings, isGeneraldelta: false, isSparse: false, maxChainLength: 0, reuse: 'never' };
}

async function addChangesets(
  reader: ByteReader,
  version: ChangegroupVersion,
  changelog: RevlogWriter,
  links: Map<Node, number>,
  operation: Operation,
): Promise<Set<Node>> {
  const manifests = new Set<Node>();
  const told = tell(operation, 'changelog', 'revisions');
  await readDeltaGroup(reader, version, (revision) => {
    demandText(revision, l10n.t('the changelog'));
    const rev = addRevision(
      changelog,
      revision,
      changelog.find(revision.node) ?? changelog.length,
      l10n.t('the changelog'),
    );
    links.set(revision.node, rev);
    manifests.add(manifestOf(changelog.rawText(rev), revision.node));
    told.one();
  });
  told.done();
  return manifests;
}

async function addManifests(
  reader: ByteReader,
  version: ChangegroupVersion,
  target: ChangegroupTarget,
  { linkOf, wanted, promised }: Expected & { wanted: ReadonlySet<Node> },
  operation: Operation,
): Promise<number> {
  const told = tell(operation, 'manifests', 'revisions');
  using manifests = openWriter(target, manifestName, () => undefined);
  const before = manifests.length;
  await readDeltaGroup(reader, version, (revision) => {
    const known = manifests.length;
    demandText(revision, l10n.t('the manifest'));
    const rev = addRevision(
      manifests,
      revision,
      linkrevOf(revision, linkOf, l10n.t('the manifest')),
      l10n.t('the manifest'),
    );
    if (rev >= known) {
      promised.addManifest(manifests.rawText(rev), revision.delta);
    }
    told.one();
  });
  for (const node of wanted) {
    if (manifests.find(node) === undefined) throw withoutManifest(node);
  }
  const added = manifests.length - before;
  manifests.close();
  told.done();
  return added;
}

async function addFiles(
  reader: ByteReader,
  version: ChangegroupVersion,
  target: ChangegroupTarget,
  { linkOf, promised }: Expected,
  operation: Operation,
): Promise<{ files: number; fileRevisions: number }> {
  const told = tell(operation, 'files', 'files');
  const listed = new Set<string>();
  let seen = 0;
  let files = 0;
  let fileRevisions = 0;
  const folders = new Set<string>();
  await passTreeManifests(reader, version);
  for (;;) {
    const file = await readFileName(reader);
    if (file === undefined) break;
    const name = `data/${file}.i`;
    checkStoreName(name);
    makeFolders(target.repository, name, folders);
    using filelog = openWriter(target, name, (added) => listed.add(added));
    const what = l10n.t('the history of {0}', JSON.stringify(file.slice(0, 200)));
    const before = filelog.length;
    await readDeltaGroup(reader, version, (revision) => {
      addRevision(filelog, revision, linkrevOf(revision, linkOf, what), what);
      promised.keep(file, revision.node);
    });
    const added = filelog.length - before;
    filelog.close();
    if (added > 0) files++;
    fileRevisions += added;
    told.one();
    // Whoever wants to stop gets a word in.
    if (++seen % progressRevisions === 0) await setImmediate();
  }
  checkPromised(target.repository, promised);
  addToFncache(target, listed);
  told.done();
  return { files, fileRevisions };
}

/** Asks the histories that were there before for what no history brought. */
function checkPromised(repository: RepositoryFolders, promised: PromisedFiles): void {
  let open: { path: string; filelog: Revlog | undefined } | undefined;
  try {
    promised.check((path, node) => {
      if (open?.path !== path) {
        open?.filelog?.[Symbol.dispose]();
        open = { path, filelog: openRevlogIfThere(repository, `data/${path}.i`) };
      }
      return open.filelog?.find(node) !== undefined;
    });
  } finally {
    open?.filelog?.[Symbol.dispose]();
  }
}

/** The manifest of a changeset, the first line of its text. */
function manifestOf(text: Uint8Array, node: Node): Node {
  return parseChangeset(text, `changeset ${node}`).manifest;
}

function withoutManifest(node: Node): EngineError {
  return corruptError(l10n.t('A changeset has a manifest that is neither here nor in the bundle: {0}.', node), {
    subject: node,
  });
}

function openWriter(
  { repository, transaction, settings, ring }: ChangegroupTarget,
  name: string,
  onNew: (name: string) => void,
): RevlogWriter {
  const chunksName = name.replace(/\.i$/, '.d');
  const paths = { index: storeFile(repository, name), chunks: storeFile(repository, chunksName) };
  const hooks = transaction.hooksFor(name, paths.index);
  const told: WriteHooks = {
    ...hooks,
    willAppend: (path, length) => {
      hooks.willAppend?.(path, length);
      if (length === 0) onNew(path === paths.index ? name : chunksName);
    },
  };
  return RevlogWriter.open(paths, settings, told, ring);
}

function makeFolders(repository: RepositoryFolders, name: string, made: Set<string>): void {
  for (const file of [name, name.replace(/\.i$/, '.d')]) {
    const folder = dirname(storeFile(repository, file));
    if (made.has(folder)) continue;
    mkdirSync(folder, { recursive: true });
    made.add(folder);
  }
}

function addToFncache({ repository, transaction }: ChangegroupTarget, names: ReadonlySet<string>): void {
  const listed = [...names].filter(belongsInFncache);
  if (listed.length > 0 && repository.layout !== 'store') transaction.addToFncache(listed);
}

function addRevision(writer: RevlogWriter, revision: ChangegroupRevision, linkrev: number, what: string): Rev {
  const { node, flags, delta } = revision;
  const find = (wanted: Node, as: string): Rev => {
    const rev = writer.find(wanted);
    if (rev === undefined) throw unknown(revision, what, as, wanted);
    return rev;
  };
  const p1 = find(revision.p1, l10n.t('a parent'));
  const p2 = find(revision.p2, l10n.t('a parent'));
  const base = find(revision.base, l10n.t('a delta base'));
  return writer.addRevision({ node, p1, p2, linkrev, flags, delta: { base, bytes: delta } });
}

/** Only texts of files can be taken away, and be stored unchecked. */
function demandText({ node, flags }: ChangegroupRevision, what: string): void {
  const why = whyWithoutText(flags);
  if (why === undefined) return;
  throw corruptError(l10n.t('Revision {0} of {1} {2}.', node, what, why), {
    subject: node,
    advice: l10n.t('Nothing of it was kept. The other side is damaged.'),
  });
}

function linkrevOf(revision: ChangegroupRevision, linkOf: (node: Node) => number | undefined, what: string): number {
  const linkrev = linkOf(revision.link);
  if (linkrev === undefined || linkrev < 0) throw unknown(revision, what, l10n.t('a changeset'), revision.link);
  return linkrev;
}

function unknown({ node }: ChangegroupRevision, what: string, as: string, wanted: Node): EngineError {
  return corruptError(
    l10n.t('Revision {0} of {1} has {2} that is neither here nor in the bundle: {3}.', node, what, as, wanted),
    {
      subject: node,
      advice: l10n.t(
        'Nothing of it was kept. A bundle file may build on changesets that have to be here first; after a pull, the other side is damaged.',
      ),
    },
  );
}

/** Counts, tells how far it is, and looks whether to stop. */
function tell(operation: Operation, phase: PhaseName, unit: Unit): { one: () => void; done: () => void } {
  let count = 0;
  const report = (state: 'running' | 'done') => operation.progress({ type: 'phase', phase, state, done: count, unit });
  return {
    one: () => {
      count++;
      if (count % progressRevisions !== 0) return;
      throwIfCancelled(operation);
      report('running');
    },
    done: () => report('done'),
  };
}
