import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangesetWords } from '../../engine/exchange/changesetWords';

/** So many changesets are shown at first, and more whenever a person wants them. */
const shownAtOnce = 500;

/**
 * What was found to be incoming for one repository, newest first. What came with it is kept in a private folder until the
 * listing is disposed of. Knows nothing of the editor.
 */
export class Listing {
  /** Newest first. */
  readonly changesets: readonly ChangesetWords[];
  private limit = shownAtOnce;

  constructor(
    readonly root: string,
    /** What to pull from: the name of a path, an address, or a bundle file. */
    readonly wanted: string,
    /** The same for people, without a password. */
    readonly source: string,
    /** Where the changegroup is kept. */
    readonly folder: string,
    changesets: readonly ChangesetWords[],
  ) {
    this.changesets = [...changesets].reverse();
  }

  /** Those that are shown. */
  get shown(): readonly ChangesetWords[] {
    return this.changesets.slice(0, this.limit);
  }

  get hidden(): number {
    return Math.max(0, this.changesets.length - this.limit);
  }

  showMore(): void {
    this.limit += shownAtOnce;
  }

  dispose(): void {
    dropFolder(this.folder);
  }
}

/** A private place for what is incoming: a folder that is not there yet, in one that only this user may enter. */
export function incomingFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'deltascope-incoming-')), 'changegroup');
}

/** Takes such a place away. */
export function dropFolder(folder: string): void {
  rmSync(join(folder, '..'), { recursive: true, force: true, maxRetries: 3 });
}
