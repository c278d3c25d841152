import type { CompressionName } from '../compression/codec';
import type { Node } from '../revlog/node';
import type { WireSettings } from '../wire/wireSettings';
import type { PhaseSummary } from './cloneRequest';

/** What is to be pulled, and into which repository. */
export interface PullRequest {
  /** The folder that holds `.hg`. */
  root: string;
  /** An address, the name of a path in `hgrc`, or a bundle file; by default the path `default`. */
  source?: string;
  /** What of the other side is wanted, with its ancestors: nodes, tags, branches, bookmarks. By default everything. */
  revisions?: readonly string[];
  /** Whether histories that have nothing in common may come together. */
  mayBeUnrelated?: boolean;
  settings: WireSettings;
}

/** What a pull did. */
export interface PullSummary {
  operation: 'pull' | 'unbundle';
  /** Without a password. */
  source: string;
  root: string;
  /** `changegroup 02`, or `nothing new`. */
  format: string;
  compression: CompressionName;
  /** Why it travelled in that engine. */
  reason: string;
  /** Changesets that came, oldest first. */
  changesets: Node[];
  files: number;
  fileRevisions: number;
  /** How many heads more there are, or fewer. */
  heads: number;
  bookmarks: { added: string[]; moved: string[]; diverged: string[] };
  markers: number;
  phasesChanged: boolean;
  /** Questions until both sides knew what they have in common. */
  roundTrips: number;
  bytesOnWire: number;
  /** How much the files of the store grew. */
  bytesOnDisk: number;
  phases: PhaseSummary[];
  warnings: string[];
}
