import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ChangelogGraph, readGraphColumns } from '../exchange/changelogGraph';
import { phasesOf, rootsOf } from '../exchange/phaseBoundaries';
import { phases as phaseNumbers } from '../bundle/phaseHeads';
import type { Node, Rev } from '../revlog/node';
import { nullNode } from '../revlog/node';
import { Revlog } from '../revlog/revlog';
import { readBookmarks } from '../store/bookmarks';
import { exchangesMarkers } from '../store/evolution';
import { parseBoolean } from '../store/hgrc';
import { readPhaseRoots } from '../store/phases';
import { storeFile } from '../store/journal';
import { locateRepository, type RepositoryFolders } from '../store/repositoryFolders';
import { checkRequirements } from '../store/requirements';
import { readSettings } from '../store/userHgrc';
import { hiddenChangesets } from './hiddenChangesets';

/** What clients may see of a repository, as it was at one moment. */
export interface ServedView {
  graph: ChangelogGraph;
  /** 1 for a changeset that clients may see: not secret, not hidden. */
  isServed: Uint8Array;
  /** The phase of each changeset. */
  phases: Uint8Array;
  /** Where phases begin, among what clients may see. */
  draftRoots: Node[];
  hasSecrets: boolean;
  /** What comes from the repository becomes public where it goes: so Mercurial has it unless told otherwise. */
  isPublishing: boolean;
  /** Of changesets that clients may see. */
  bookmarks: Map<string, Node>;
  /** Heads of what clients may see, in order. */
  heads: Rev[];
}

/** One repository that is served, read again when it has changed. For a worker thread: reading is synchronous. */
export class ServedRepository {
  private folders: RepositoryFolders;
  private mark = '';
  private kept: ServedView | undefined;

  /** @throws `destination` when there is no repository, `unsupported` for one that cannot be read */
  constructor(private readonly root: string) {
    this.folders = this.locate();
  }

  /** Where its parts are, as its requirements say now. */
  get repository(): RepositoryFolders {
    return this.folders;
  }

  /** The value of a setting, as the user's files and the repository's own have it. */
  settings(section: string, item: string): string | undefined {
    return readSettings(this.folders.hg).get(section)?.get(item);
  }

  /** Whether clients are given obsolescence markers. */
  get exchangesMarkers(): boolean {
    return exchangesMarkers(readSettings(this.folders.hg));
  }

  /** The changelog; undefined while there is none. What is being written at its end is not read. */
  openChangelog(): Revlog | undefined {
    try {
      return Revlog.open(storeFile(this.folders, '00changelog.i'), { isDamageKept: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** What clients may see now. */
  view(): ServedView {
    const mark = this.currentMark();
    if (this.kept === undefined || mark !== this.mark) {
      this.folders = this.locate();
      // A change between the two shows in the mark of next time.
      this.mark = mark;
      this.kept = this.read();
    }
    return this.kept;
  }

  private locate(): RepositoryFolders {
    const folders = locateRepository(this.root);
    checkRequirements(folders.requirements, 'read', `the repository at ${this.root}`);
    return folders;
  }

  /**
   * The changelog is read first: Mercurial writes the phases of new changesets before the changesets themselves, so that
   * phases read afterwards know every secret among those that were read.
   */
  private read(): ServedView {
    using changelog = this.openChangelog();
    const graph = new ChangelogGraph(readGraphColumns(changelog));
    const all = readBookmarks(this.folders);
    const roots = readPhaseRoots(this.folders.store);
    const phases = changelog === undefined ? new Uint8Array(0) : phasesOf(changelog, roots);
    const isHidden = hiddenChangesets(this.folders, graph, phases, all);
    const isServed = phases.map((phase, rev) => (phase < phaseNumbers.secret && isHidden[rev] === 0 ? 1 : 0));
    const isHere = (node: Node) => isServed[graph.find(node) ?? -1] === 1;
    const drafts = changelog === undefined ? [] : rootsOf(changelog, phases);
    return {
      graph,
      phases,
      isServed,
      draftRoots: drafts
        .filter(({ phase, node }) => phase === phaseNumbers.draft && isHere(node))
        .map(({ node }) => node),
      isPublishing: parseBoolean(this.settings('phases', 'publish')) ?? true,
      hasSecrets: phases.some((phase) => phase >= phaseNumbers.secret),
      bookmarks: new Map([...all].filter(([, node]) => node === nullNode || isHere(node))),
      heads: graph.headsOf(isServed),
    };
  }

  private currentMark(): string {
    const { hg, store } = this.folders;
    const files = [
      ...['00changelog.i', 'phaseroots', 'obsstore', 'bookmarks', 'requires'].map((name) => join(store, name)),
      ...['bookmarks', 'requires', 'hgrc'].map((name) => join(hg, name)),
    ];
    return files.map(markOf).join(' ');
  }
}

function markOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
}
