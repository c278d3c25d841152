import * as l10n from '@vscode/l10n';
import { existsSync } from 'node:fs';
import { EngineError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { repositoryDeltaSettings, type DeltaSettings } from '../revlog/policy/deltaSettings';
import { checkRequirements, type Requirements } from '../store/requirements';
import type { RepositoryFolders } from '../store/repositoryFolders';
import { listRevlogs, storeRevlog, type StoreRevlog } from '../survey/storeRevlogs';
import { repositoryAt } from '../survey/surveyRepository';
import type { Tasks } from '../tasks';
import type { CompareRequest, RevlogComparison, ShareComparison } from './compareTask';
import { sumOfSums, type ComparisonSums } from './comparisonSums';
import { mostGaining, type MergeGain } from './mergeGains';
import { checkWritable, policySettings, usualPolicies, type PolicyName } from './policies';
import { inShares, largestReplaced, workOnShares, type SizedRevlog } from './shares';

/** Which revlogs of a store are meant: those of a kind, all, or the one with this index. */
export type RevlogSelection = 'changelog' | 'manifest' | 'files' | 'all' | { index: string };

/** What is to be compared. */
export interface ComparisonRequest {
  /** The working copy, or its `.hg`. */
  folder: string;
  selection: RevlogSelection;
  policies?: readonly PolicyName[];
  /** Revlogs of more bytes on disk are not replaced by an optimisation. */
  largestReplaced?: number;
}

/** A selection of revlogs under every policy. */
export interface StoreComparison extends ComparisonSums {
  root: string;
  selection: RevlogSelection;
  revlogs: number;
  /** Changelog and manifest, and what few files are largest, with curves and, unless they are very large, with costs. */
  detailed: RevlogComparison[];
  /** The merges that gain most when both of their parents are looked at. */
  gains: MergeGain[];
  /** Why the repository cannot be stored under a policy, as a sentence; absent for those under which it can. */
  unwritable: Partial<Record<PolicyName, string>>;
  /** What the comparison took, in seconds, and about what an optimisation would take on the same machine. */
  seconds: number;
  estimates: Partial<Record<PolicyName, number>>;
}

/** Revlogs that are looked at in detail, and how large they may be for costs: they are written to a temporary folder. */
const mostDetailed = 6;
const largestWithCosts = 256 << 20;

/**
 * Computes what revlogs would be under each of several policies, without changing anything, on all cores.
 *
 * @throws `destination` when there is no repository, `unsupported` for one that cannot be read, `corrupt` when a text
 * cannot be put together, `cancelled`
 */
export async function compareStore(
  request: ComparisonRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<StoreComparison> {
  const { folder, selection, policies = usualPolicies } = request;
  const begun = performance.now();
  const repository = repositoryAt(folder);
  checkRequirements(repository.requirements, 'store', l10n.t('the repository'));
  const own = repositoryDeltaSettings(repository.hg, repository.requirements);
  const common = {
    policies: policies.map((name) => ({ name, settings: policySettings(name, own) })),
    isSparse: repository.requirements.has('sparserevlog'),
    largestReplaced: request.largestReplaced ?? largestReplaced,
  };
  const revlogs = await workers.run('listRevlogsToStore', { folder, selection }, operation);
  const detailed = revlogsInDetail(revlogs);
  const shares = [...detailed].map((revlog) => [revlog]).concat(inShares(revlogs.filter((one) => !detailed.has(one))));
  const detailOf = ([first]: SizedRevlog[]): CompareRequest['detail'] =>
    !detailed.has(first) ? 'none' : first.bytes <= largestWithCosts ? 'costs' : 'curves';
  const results = await workOnShares(shares, 'analyse', operation, workers, (share, quiet) =>
    workers.run('compareRevlogs', { ...common, revlogs: share, detail: detailOf(share) }, quiet),
  );
  const seconds = (performance.now() - begun) / 1000;
  return {
    ...sumOfSums(results.map(({ sums }) => sums)),
    root: repository.root,
    selection,
    revlogs: revlogs.length,
    detailed: results.flatMap((result) => result.detailed),
    gains: mostGaining(results.flatMap(({ gains }) => gains)),
    unwritable: unwritable(common.policies, repository.requirements),
    seconds,
    estimates: estimatesOf(policies, results, seconds),
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
    .filter((revlog) => isSelected(revlog, selection));
}

function isSelected({ role, path }: StoreRevlog, selection: RevlogSelection): boolean {
  if (typeof selection === 'object') return path === selection.index;
  if (selection === 'all') return true;
  if (selection === 'files') return role === 'file';
  return role === selection || (role === 'tree' && selection === 'manifest');
}

function revlogsInDetail(revlogs: readonly SizedRevlog[]): Set<SizedRevlog> {
  const top = revlogs.filter(({ role }) => role === 'changelog' || role === 'manifest');
  const files = revlogs.filter((one) => !top.includes(one)).sort((one, other) => other.bytes - one.bytes);
  return new Set([...top, ...files].slice(0, mostDetailed));
}

function unwritable(
  policies: readonly { name: PolicyName; settings: DeltaSettings }[],
  requirements: Requirements,
): StoreComparison['unwritable'] {
  const reasons: StoreComparison['unwritable'] = {};
  for (const { name, settings } of policies) {
    try {
      checkWritable(name, settings, requirements);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      reasons[name] = [error.message, error.advice].filter(Boolean).join(' ');
    }
  }
  return reasons;
}

/**
 * An optimisation puts every text together, stores it under one policy, and then puts what it wrote together and hashes it.
 * Policies after the first find deltas that it has made already, so what the first took counts for each of them. How many
 * cores are at work, and what else they do, is in how long the comparison itself took.
 */
function estimatesOf(
  policies: readonly PolicyName[],
  results: readonly ShareComparison[],
  seconds: number,
): StoreComparison['estimates'] {
  const sum = (pick: (result: ShareComparison) => number) => results.reduce((all, result) => all + pick(result), 0);
  const whole = Math.max(
    1,
    sum(({ milliseconds }) => milliseconds),
  );
  const texts = sum(({ effort }) => effort.texts);
  const took = policies.map((_, at) => sum(({ effort }) => effort.policies[at]));
  return Object.fromEntries(
    policies.map((name, at) => [name, (seconds * (3 * texts + took[0] + (at > 0 ? took[at] : 0))) / whole]),
  );
}
