import type { ChangesetWords } from '../../engine/exchange/changesetWords';
import type { IncomingFile } from '../../engine/exchange/incomingFiles';
import type { Listing } from './listing';

/** What the *Incoming* tree is made of. */
export type IncomingNode =
  | { kind: 'listing'; listing: Listing }
  | { kind: 'changeset'; changeset: ChangesetWords; listing: Listing }
  | { kind: 'file'; file: IncomingFile; changeset: ChangesetWords; listing: Listing }
  | { kind: 'more'; listing: Listing }
  | { kind: 'notice'; text: string; icon: string };
