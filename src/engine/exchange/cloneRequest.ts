import type { PhaseName, Unit } from '../io/operation';
import type { CompressionName } from '../compression/codec';
import type { WireSettings } from '../wire/wireSettings';
import type { CloneBundleSettings } from './cloneBundleSettings';

/** What the working copy of a clone shall hold. */
export type WantedUpdate = { kind: 'none' } | { kind: 'default' } | { kind: 'revision'; revision: string };

export interface CloneRequest {
  /** An address as `hg clone` takes it, with user, port, path and `#branch` as they come. */
  source: string;
  /** An absolute path that is absent or an empty folder. */
  destination: string;
  update: WantedUpdate;
  /** Only these, with their ancestors: nodes, tags, branches or bookmarks of the source. By default all there is. */
  revisions?: readonly string[];
  settings: WireSettings;
  /** How clone bundles are used; by default as the user's own `hgrc` says. */
  cloneBundles?: CloneBundleSettings;
}

/** How long a phase took, and what it counted. */
export interface PhaseSummary {
  phase: PhaseName;
  seconds: number;
  done: number;
  unit: Unit;
  bytes?: number;
}

/** What the working copy of a clone came to be. */
export interface UpdateSummary {
  node: string;
  branch: string;
  files: number;
  /** Folders of subrepositories, which are named and not fetched. */
  subrepositories: string[];
}

/** What a clone did. */
export interface CloneSummary {
  operation: 'clone';
  source: string;
  destination: string;
  /** `stream v2`, `changegroup 02` ...: of the clone bundle, where there was one. */
  format: string;
  compression: CompressionName;
  /** Why the response travelled in that engine. */
  reason: string;
  requirements: string[];
  files: number;
  /** Bytes of the files in the store. */
  bytes: number;
  bytesOnWire: number;
  /** The clone bundle that most of it came from. */
  cloneBundle?: {
    /** Without a password. */
    address: string;
    bytes: number;
    revisions: number;
    /** How often the connection broke and the rest was asked for. */
    resumptions: number;
  };
  revisions: number;
  phases: PhaseSummary[];
  update?: UpdateSummary;
  /** What a person should know although the clone succeeded. */
  warnings: string[];
}
