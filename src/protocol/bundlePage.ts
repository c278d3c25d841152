import type { BundleContents, BundledChangeset } from '../engine/exchange/bundleContents';

export type { BundledHistory, BundledPart } from '../engine/exchange/bundleContents';

/** A changeset with what of it is shown in a row. */
export interface ShownChangeset extends BundledChangeset {
  /** The first line of the description, the author without an address, and the date by their clock. */
  summary: string;
  author: string;
  when: string;
}

/** A bundle file as its page shows it. */
export interface BundleShown extends Omit<BundleContents, 'changesets'> {
  title: string;
  changesets: ShownChangeset[];
}

/** From the editor to the page. */
export type ToBundle =
  | { type: 'progress'; done: number; total: number | undefined }
  | { type: 'contents'; contents: BundleShown }
  | { type: 'failed'; message: string; advice: string | undefined };

/** From the page to the editor. */
export type FromBundle =
  /** The page is drawn and wants its bundle. */
  { type: 'ready' } | { type: 'retry' } | { type: 'apply' } | { type: 'copy'; text: string };

/** What a page keeps while it is hidden. */
export interface BundlePageState {
  filter: string;
  scrollTop: number;
}
