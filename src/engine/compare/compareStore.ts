import { existsSync } from 'node:fs';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { repositoryDeltaSettings } from '../revlog/policy/deltaSettings';
import { checkRequirements } from '../store/requirements';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { listRevlogs, storeRevlog, type StoreRevlog } from '../survey/storeRevlogs';
import { repositoryAt } from '../survey/surveyRepository';
import type { Tasks } from '../tasks';
import type { RevlogComparison } from './compareTask';
import { policySettings, usualPolicies, type PolicyName } from './policies';
import { inShares, sized, workOnShares, type SizedRevlog } from './shares';
import { addShapes, emptyShape, type StoreShape } from './storeShape';

/** Which revlogs of a store are meant. */
export type RevlogSelection = 'changelog' | 'manifest' | 'files' | 'all';

/** What is to be compared. */
export interface ComparisonRequest {
  /** The working copy, or its `.hg`. */
  folder: string;
  selection: RevlogSelection;
  policies?: readonly PolicyName[];
}

/** A selection of revlogs under every policy. */
export interface StoreComparison {
  root: string;
  selection: RevlogSelection;
  revlogs: number;
  /** Sums over all of them. */
  total: Partial<Record<PolicyName | 'as-is', StoreShape>>;
  /** Sums over manifests. */
  manifests: Partial<Record<PolicyName | 'as-is', StoreShape>>;
  /** Changelog and manifest, and what few files are largest, with costs and curves. */
  detailed: RevlogComparison[];
}

/** Revlogs that are looked at in detail, and how large they may be: they are written to a temporary folder. */
const mostDetailed = 6;
const largestDetailed = 256 << 20;

/**
 * Computes what revlogs would be under each of several policies, without changing anything, on all cores.
 *
 * @throws `destination` when there is no repository, `unsupported` for one that cannot be read, `corrupt` when a text
 * cannot be put together, `cancelled`
 */
export async function compareStore(
  { folder, selection, policies = usualPolicies }: ComparisonRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<StoreComparison> {
  const repository = repositoryAt(folder);
  checkRequirements(repository.requirements, 'store', 'the repository');
  const own = repositoryDeltaSettings(repository.hg, repository.requirements);
  const named = policies.map((name) => ({ name, settings: policySettings(name, own) }));
  const revlogs = selectRevlogs(repository, selection, operation).map(sized);
  const detailed = revlogsInDetail(revlogs);
  const shares = [...detailed].map((revlog) => [revlog]).concat(inShares(revlogs.filter((one) => !detailed.has(one))));
  const isSparse = repository.requirements.has('sparserevlog');
  const results = await workOnShares(shares, 'analyse', operation, workers, (share, quiet) =>
    workers.run(
      'compareRevlogs',
      { revlogs: share, policies: named, isSparse, inDetail: detailed.has(share[0]) },
      quiet,
    ),
  );
  const all = results.flat();
  return {
    root: repository.root,
    selection,
    revlogs: revlogs.length,
    total: sumOf(all),
    manifests: sumOf(all.filter(({ role }) => role === 'manifest' || role === 'tree')),
    detailed: results.slice(0, detailed.size).flat(),
  };
}

/** The revlogs of a store that a selection means. @throws as `listRevlogs` */
export function selectRevlogs(
  repository: RepositoryFolders,
  selection: RevlogSelection,
  operation: Operation,
): StoreRevlog[] {
  const listing = listRevlogs(repository, operation);
  throwIfCancelled(operation);
  return listing.names
    .map((_, at) => storeRevlog(repository, listing, at))
    .filter(({ path }) => existsSync(path))
    .filter(({ role }) => selection === 'all' || (selection === 'files' ? role === 'file' : isPart(role, selection)));
}

function isPart(role: StoreRevlog['role'], selection: RevlogSelection): boolean {
  return role === selection || (role === 'tree' && selection === 'manifest');
}

function revlogsInDetail(revlogs: readonly SizedRevlog[]): Set<SizedRevlog> {
  const small = revlogs.filter(({ bytes }) => bytes <= largestDetailed);
  const top = small.filter(({ role }) => role === 'changelog' || role === 'manifest');
  const files = small.filter((one) => !top.includes(one)).sort((one, other) => other.bytes - one.bytes);
  return new Set([...top, ...files].slice(0, mostDetailed));
}

function sumOf(revlogs: readonly RevlogComparison[]): StoreComparison['total'] {
  const sums: StoreComparison['total'] = {};
  for (const { ways } of revlogs) {
    for (const { policy, shape } of ways) sums[policy] = addShapes(sums[policy] ?? emptyShape, shape);
  }
  return sums;
}
