import { join } from 'node:path';
import { optimizeState } from '../../engine/optimize/optimizeStore';
import type { NamedSource } from '../../engine/survey/revlogSource';
import { surveyRow } from '../../engine/survey/surveyColumns';
import type { StoreSurvey } from '../../engine/survey/surveyRepository';
import type {
  ChainNode,
  FindingNode,
  GroupNode,
  OptimizationNode,
  PackNode,
  RepositoryNode,
  RevlogNode,
} from './chainNode';
import type { Finding } from '../../engine/survey/finding';
import { packsOf, type FoundRepository } from './findRepositories';
import { findingsAbout } from './health';
import { orderedFiles, rowsOf, type RevlogOrder } from './revlogOrder';

/** How the files of all repositories are listed. */
export interface FileListing {
  order: RevlogOrder;
  filter: string;
}

/** A repository as a node. */
export function repositoryNode(repository: FoundRepository): RepositoryNode {
  return { kind: 'repository', id: `${repository.kind}:${repository.root}`, repository };
}

/** What is in a repository: what was found out about it as a whole, changelog, manifests, files. */
export function partsOf(parent: RepositoryNode, survey: StoreSurvey, listing: FileListing): ChainNode[] {
  const { revlogs } = survey;
  const parts: ChainNode[] = findingNodes(parent, findingsAbout(survey));
  for (const at of rowsOf(revlogs, 'changelog')) parts.push(revlogNode(parent, parent.repository, survey, at));
  const manifests = [...rowsOf(revlogs, 'manifest'), ...rowsOf(revlogs, 'tree')];
  if (manifests.length > 1) parts.push(groupNode(parent, survey, 'manifests', manifests));
  else for (const at of manifests) parts.push(revlogNode(parent, parent.repository, survey, at));
  parts.push(groupNode(parent, survey, 'files', orderedFiles(revlogs, listing.order, listing.filter)));
  return parts;
}

function groupNode(parent: RepositoryNode, survey: StoreSurvey, group: GroupNode['group'], rows: number[]): GroupNode {
  return { kind: 'group', id: `${parent.id}|${group}`, parent, survey, group, rows };
}

/** The first revlogs of a group. */
export function revlogsOf(group: GroupNode, most: number): RevlogNode[] {
  return group.rows.slice(0, most).map((at) => revlogNode(group, group.parent.repository, group.survey, at));
}

/** One revlog of a survey as a node. */
export function revlogNode(
  parent: ChainNode,
  repository: FoundRepository,
  survey: StoreSurvey,
  at: number,
): RevlogNode {
  const row = surveyRow(survey.revlogs, at);
  const source: NamedSource = {
    name: row.name,
    path: row.path,
    isSparse: survey.requirements.includes('sparserevlog'),
    chunkPath: survey.revlogs.chunkPaths[at],
  };
  const id = `${repository.root}|${row.role}|${row.name}`;
  return { kind: 'revlog', id, parent, source, row, repository, findings: findingsAbout(survey, row.name) };
}

/** The packs of a Git repository. */
export function packNodes(parent: RepositoryNode): PackNode[] {
  return packsOf(parent.repository.root).map((pack) => ({
    kind: 'pack',
    id: join(parent.id, pack.path),
    parent,
    pack,
    repository: parent.repository,
  }));
}

/** What waits for a person after an optimisation of the store. */
export function optimizationNodes(parent: RepositoryNode): OptimizationNode[] {
  const { repository, id } = parent;
  const state = optimizeState(repository.root);
  if (state !== 'unconfirmed' && state !== 'brokenOff') return [];
  return [{ kind: 'optimization', id: `${id}|optimization`, parent, state, repository }];
}

/** What was found out, above the things it was found out about. */
export function findingNodes(parent: ChainNode, findings: readonly Finding[], most = 20): FindingNode[] {
  return findings
    .slice(0, most)
    .map((finding, at) => ({ kind: 'finding', id: `${parent.id}|finding ${at}`, parent, finding }));
}
