import type { PackColumns } from '../../engine/pack/packColumns';
import type { ChainReading } from '../../engine/revlog/readChainColumns';
import type { Finding } from '../../engine/survey/finding';
import type { NamedSource } from '../../engine/survey/revlogSource';
import type { SurveyRow } from '../../engine/survey/surveyColumns';
import type { StoreSurvey } from '../../engine/survey/surveyRepository';
import type { FoundPack, FoundRepository } from './findRepositories';
import type { StoredChains } from './storedChains';

/** What the *Delta chains* tree is made of. Each node has an id of its own, the same whenever the tree is built again. */
export type ChainNode =
  | RepositoryNode
  | GroupNode
  | RevlogNode
  | PackNode
  | StoredChainNode
  | RevisionNode
  | FindingNode
  | OptimizationNode
  | NoticeNode
  | MoreNode;

interface Placed {
  id: string;
  parent?: ChainNode;
}

export interface RepositoryNode extends Placed {
  kind: 'repository';
  repository: FoundRepository;
  /** As far as it was surveyed. */
  survey?: StoreSurvey;
}

/** The manifests or the files of a repository. */
export interface GroupNode extends Placed {
  kind: 'group';
  group: 'manifests' | 'files';
  parent: RepositoryNode;
  survey: StoreSurvey;
  /** Rows of the survey, in the order they are shown. */
  rows: number[];
}

export interface RevlogNode extends Placed {
  kind: 'revlog';
  source: NamedSource;
  row: SurveyRow;
  findings: readonly Finding[];
  repository: FoundRepository;
}

export interface PackNode extends Placed {
  kind: 'pack';
  pack: FoundPack;
  repository: FoundRepository;
}

/** The chains of a revlog or pack that were read. */
export type ReadChains =
  | { of: RevlogNode; reading: ChainReading; chains: StoredChains }
  | { of: PackNode; columns: PackColumns; chains: StoredChains };

export interface StoredChainNode extends Placed {
  kind: 'chain';
  read: ReadChains;
  chain: number;
}

export interface RevisionNode extends Placed {
  kind: 'revision';
  read: ReadChains;
  rev: number;
}

export interface FindingNode extends Placed {
  kind: 'finding';
  finding: Finding;
}

/** An optimisation of the store that waits for a person: to be confirmed, or finished after it was broken off. */
export interface OptimizationNode extends Placed {
  kind: 'optimization';
  state: 'unconfirmed' | 'brokenOff';
  repository: FoundRepository;
}

/** A sentence in place of what cannot be shown. */
export interface NoticeNode extends Placed {
  kind: 'notice';
  message: string;
  isError: boolean;
  /** A press looks again. */
  canRetry: boolean;
}

/** Stands for the rest of a long list. */
export interface MoreNode extends Placed {
  kind: 'more';
  parent: ChainNode;
  left: number;
}

/** The repository that a node lies in. */
export function repositoryOf(node: ChainNode): RepositoryNode | undefined {
  for (let at: ChainNode | undefined = node; at !== undefined; at = at.parent) if (at.kind === 'repository') return at;
  return undefined;
}
