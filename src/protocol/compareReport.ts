import type { RevlogSelection, StoreComparison } from '../engine/compare/compareStore';
import type { RevlogComparison, StoredWay } from '../engine/compare/compareTask';
import type { MergeGain } from '../engine/compare/mergeGains';
import type { PolicyName } from '../engine/compare/policies';
import type { Recommendation } from '../engine/compare/recommend';
import type { StoreShape } from '../engine/compare/storeShape';
import type { OptimizeState } from '../engine/optimize/optimizeStore';

export type { MergeGain, PolicyName, RevlogComparison, StoredWay, StoreShape };

/** What a comparison is about: revlogs of a repository. */
export interface CompareSubject {
  /** The working copy. */
  root: string;
  selection: RevlogSelection;
  /** What is compared, as people say it: the name of the repository, or of one of its histories. */
  name: string;
}

/** Everything that the page shows; also what it keeps when the window is loaded again. */
export interface CompareReport {
  subject: CompareSubject;
  comparison: StoreComparison;
  recommendation: Recommendation;
  /** What each policy is, as a sentence. */
  policyWords: Record<PolicyName, string>;
  /** When it was compared, in milliseconds since 1970. */
  at: number;
  /** What the store was then; another string once it was written to. */
  storeState: string;
}

/** How it stands with the store that was compared. */
export interface StoreStanding {
  optimize: OptimizeState;
  /** Something was written to it since it was compared. */
  isOutdated: boolean;
}

/** From the editor to the page. */
export type ToCompare = { type: 'report'; report: CompareReport } | { type: 'standing'; standing: StoreStanding };

/** From the page to the editor. */
export type FromCompare =
  /** The page is drawn and wants its report. */
  | { type: 'ready' }
  | { type: 'compareAgain' }
  | { type: 'optimize'; policy: PolicyName }
  | { type: 'confirm' }
  | { type: 'undo' }
  | { type: 'finish' }
  /** Show a revision and its chain. */
  | { type: 'showChain'; index: string; revlog: string; rev: number };
