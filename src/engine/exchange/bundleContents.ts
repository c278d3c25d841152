import type { CompressionName } from '../compression/codec';
import type { Node } from '../revlog/node';
import type { ChangesetWords } from './changesetWords';

/** A changeset of a bundle, with how many files it names. */
export interface BundledChangeset extends Omit<ChangesetWords, 'files'> {
  files: number;
  /** Where the bundle tells: 0 public, 1 draft, 2 secret. */
  phase?: number;
}

/** One part of a bundle; a bundle of an older kind counts as one part. */
export interface BundledPart {
  /** In lower case, such as `changegroup`. */
  type: string;
  /** Whether a receiver has to understand it. */
  mandatory: boolean;
  parameters: { name: string; value: string; mandatory: boolean }[];
  /** Of its payload, after decompression. */
  bytes: number;
}

/** What a changegroup holds; bytes are those of deltas. */
export interface BundledHistory {
  version: string;
  changesets: number;
  manifests: number;
  files: number;
  fileRevisions: number;
  changesetBytes: number;
  manifestBytes: number;
  fileBytes: number;
  /** The files that take the most, by bytes. Names in UTF-8. */
  largest: { path: string; revisions: number; bytes: number }[];
}

/** What a bundle file is and holds. */
export interface BundleContents {
  path: string;
  /** Its size on disk. */
  bytes: number;
  /** Its first letters: `HG20`, `HG10`, `HGS1`. */
  kind: string;
  compression: CompressionName;
  /** Of the bundle as a whole. */
  parameters: { name: string; value: string }[];
  parts: BundledPart[];
  history?: BundledHistory;
  /** Newest first, as many as are kept. */
  changesets: BundledChangeset[];
  /** Changesets whose texts cannot be read, because they are deltas against what is not here. */
  unreadable: Node[];
  /** Names in UTF-8. */
  bookmarks: { name: string; node: Node }[];
  /** Obsolescence markers. */
  markers: number;
  /** A copy of a store. */
  stream?: { files: number; bytes: number; requirements: string[] };
  /** Why it could not be read to its end. */
  fault?: string;
}
