import * as l10n from '@vscode/l10n';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import type { ChangegroupVersion } from '../bundle/changegroupReader';
import { divideMarkers, markersVersion } from '../bundle/obsolescence';
import type { PhaseHead } from '../bundle/phaseHeads';
import type { TagsFile } from '../bundle/tagsFiles';
import type { ByteReader } from '../io/byteReader';
import { protocolError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { CheckRing } from '../revlog/checkRing';
import type { Node } from '../revlog/node';
import { repositoryDeltaSettings } from '../revlog/policy/deltaSettings';
import type { Revlog } from '../revlog/revlog';
import { formatBookmarks, readBookmarks } from '../store/bookmarks';
import { exchangesMarkers } from '../store/evolution';
import { storeFile } from '../store/journal';
import { openRevlogIfThere } from '../store/openRevlog';
import { formatPhaseRoots, readPhaseRoots, type RemotePhases } from '../store/phases';
import { noteTagsFiles } from '../store/tagsFilesCache';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { Transaction } from '../store/transaction';
import { readSettings } from '../store/userHgrc';
import { headsOf } from '../workingcopy/heads';
import { AppliedChangegroup } from './applyChangegroup';
import { mergeBookmarks } from './mergeBookmarks';
import { boundariesAfter, phaseHeadsOf } from './phaseBoundaries';

/** What an exchange changed in a repository. */
export interface ChangeSummary {
  /** Changesets that came, oldest first. */
  changesets: Node[];
  manifests: number;
  files: number;
  fileRevisions: number;
  /** How many heads more there are, or fewer. */
  heads: number;
  /** Names in UTF-8. */
  bookmarks: { added: string[]; moved: string[]; diverged: string[] };
  /** Obsolescence markers that were not here before. */
  markers: number;
  /** Whether phases changed beside those of what came. */
  phasesChanged: boolean;
  /** How much the files of the store grew. */
  bytesOnDisk: number;
}

/** What the other side said beside a bundle. */
export interface RemoteState {
  heads: Node[];
  bookmarks?: Map<string, Node>;
  phases?: RemotePhases;
}

/**
 * The change of a repository that one exchange makes: gathers what a bundle brings, in one transaction, which is begun
 * with the first thing that is written. {@link finish} commits it; disposed of before, it is rolled back.
 */
export class RepositoryChange implements Disposable {
  private transaction: Transaction | undefined;
  private applied: AppliedChangegroup | undefined;
  private readonly revisionsBefore: number;
  private readonly headsBefore: number;
  private readonly phaseHeads: PhaseHead[] = [];
  private bookmarks: Map<string, Node> | undefined;
  private phases: RemotePhases | undefined;
  private readonly tagsFiles: TagsFile[] = [];
  private markers = 0;

  constructor(
    private readonly repository: RepositoryFolders,
    private readonly purpose: { operation: string; source?: string },
  ) {
    using changelog = openRevlogIfThere(repository, '00changelog.i');
    this.revisionsBefore = changelog?.length ?? 0;
    this.headsBefore = changelog === undefined ? 0 : headsOf(changelog).length;
  }

  /**
   * @param ring where another thread checks long texts
   * @throws as `AppliedChangegroup.apply`; `protocol` for a second changegroup
   */
  async addChangegroup(
    reader: ByteReader,
    version: ChangegroupVersion,
    ring: CheckRing,
    operation: Operation,
  ): Promise<void> {
    if (this.applied !== undefined) {
      throw protocolError(l10n.t('The other side sent two changegroups.'), { subject: 'changegroup' });
    }
    const { repository } = this;
    const settings = repositoryDeltaSettings(repository.hg, repository.requirements);
    const target = { repository, transaction: this.begun(), settings, ring };
    this.applied = await AppliedChangegroup.apply(reader, version, target, operation);
  }

  addPhaseHeads(heads: readonly PhaseHead[]): void {
    for (const head of heads) this.phaseHeads.push(head);
  }

  addBookmarks(bookmarks: Map<string, Node>): void {
    this.bookmarks = bookmarks;
  }

  addRemotePhases(phases: RemotePhases): void {
    this.phases = phases;
  }

  /** Stores obsolescence markers that are not here yet, where markers are in use. @throws as `divideMarkers` */
  addMarkers(bytes: Uint8Array): void {
    if (!exchangesMarkers(readSettings(this.repository.hg))) return;
    const path = storeFile(this.repository, 'obsstore');
    const kept = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const known = new Set(divideMarkers(kept, path).map((marker) => marker.toString('latin1')));
    const fresh = divideMarkers(bytes, 'obsmarkers').filter((marker) => !known.has(marker.toString('latin1')));
    if (fresh.length === 0) return;
    const begin = kept.length === 0 ? [Buffer.of(markersVersion)] : [];
    this.begun().willAppend('obsstore', statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    appendFileSync(path, Buffer.concat([...begin, ...fresh]));
    this.markers += fresh.length;
  }

  addTagsFiles(files: readonly TagsFile[]): void {
    for (const file of files) this.tagsFiles.push(file);
  }

  /** Settles phases and bookmarks, shows the new changesets and commits. */
  finish(sourceName: string, remote: RemoteState): ChangeSummary {
    const { applied } = this;
    using changelog = applied?.openChangelog() ?? openRevlogIfThere(this.repository, '00changelog.i');
    const phasesChanged = changelog !== undefined && this.settlePhases(changelog, remote);
    const bookmarks =
      changelog === undefined
        ? { added: [], moved: [], diverged: [] }
        : this.settleBookmarks(changelog, this.bookmarks ?? remote.bookmarks ?? new Map<string, Node>(), sourceName);
    const heads = (changelog === undefined ? 0 : headsOf(changelog).length) - this.headsBefore;
    applied?.show();
    const bytesOnDisk = this.transaction?.grown() ?? 0;
    this.transaction?.commit();
    this.transaction = undefined;
    if (changelog !== undefined) noteTagsFiles(this.repository.hg, changelog, this.tagsFiles);
    const { changesets, manifests, files, fileRevisions } = applied?.added ?? nothing;
    const { markers } = this;
    return { changesets, manifests, files, fileRevisions, heads, bookmarks, markers, phasesChanged, bytesOnDisk };
  }

  [Symbol.dispose](): void {
    this.transaction?.[Symbol.dispose]();
  }

  private settlePhases(changelog: Revlog, remote: RemoteState): boolean {
    const phases = this.phases ?? remote.phases;
    const heads = [...this.phaseHeads, ...(phases === undefined ? [] : phaseHeadsOf(changelog, phases, remote.heads))];
    const roots = readPhaseRoots(this.repository.store);
    const after = formatPhaseRoots(boundariesAfter(changelog, roots, this.revisionsBefore, heads));
    if (after === formatPhaseRoots(roots)) return false;
    this.begun().replace({ area: 'store', name: 'phaseroots' }, after);
    return true;
  }

  private settleBookmarks(
    changelog: Revlog,
    theirs: Map<string, Node>,
    sourceName: string,
  ): ChangeSummary['bookmarks'] {
    const { bookmarks, ...changed } = mergeBookmarks(changelog, readBookmarks(this.repository), theirs, sourceName);
    const count = changed.added.length + changed.moved.length + changed.diverged.length;
    if (count > 0) {
      const area = this.repository.requirements.has('bookmarksinstore') ? 'store' : 'hg';
      this.begun().replace({ area, name: 'bookmarks' }, formatBookmarks(bookmarks));
    }
    const { added, moved, diverged } = changed;
    return { added: added.map(fromBytes), moved: moved.map(fromBytes), diverged: diverged.map(fromBytes) };
  }

  private begun(): Transaction {
    const { repository, purpose, revisionsBefore } = this;
    this.transaction ??= Transaction.begin(repository, { ...purpose, revisions: revisionsBefore });
    return this.transaction;
  }
}

const nothing = { changesets: [], manifests: 0, files: 0, fileRevisions: 0 };

function fromBytes(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}
