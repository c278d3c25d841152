import * as l10n from '@vscode/l10n';
import { bytesInWords, decimalInWords, percentInWords } from '../survey/words';
import type { StoreComparison } from './compareStore';
import type { StoredWay } from './compareTask';
import { policyKeeping, type PolicyName } from './policies';
import { diskBytes } from './storeShape';

/** What to do with a store, and why, in words for people. */
export interface Recommendation {
  /** Absent where it is best left as it is. */
  policy?: PolicyName;
  /** As a sentence. */
  verdict: string;
  reasons: string[];
}

/** Less than this share of a store is not worth writing it again. */
const worthwhile = 0.01;
/** How much slower reading may become: what looking at both parents was published to cost. */
const mostSlower = 1.5;
/** Nobody notices a text that is read in this time, in milliseconds. */
const quick = 5;
/** A store that is read slowly, and a policy under which it is read much faster. */
const slow = 20;
const muchFaster = 0.7;
const mostGrowth = 1.1;

interface Candidate {
  policy: PolicyName;
  /** Bytes on disk after an optimisation, and those before. */
  after: number;
  before: number;
  /** How long reading takes where it changes most, in milliseconds. */
  reading?: { name: string; before: number; after: number };
}

/**
 * Which policy a store is best written again under: the smallest store whose texts are not read much slower, and among
 * nearly equal ones the one that asks for no settings. A store that is read slowly is written again to be read faster.
 */
export function recommend(comparison: StoreComparison): Recommendation {
  const candidates = candidatesOf(comparison);
  const smaller = candidates
    .filter(({ before, after }) => after < before && before - after >= before * worthwhile)
    .filter(({ reading }) => reading === undefined || isBearable(reading))
    .sort((one, other) => one.after - other.after);
  const smallest = smaller.at(0);
  const usual = smaller.find(({ policy }) => policy === 'both-parents');
  const best = usual !== undefined && smallest !== undefined && isNearly(usual, smallest) ? usual : smallest;
  if (best !== undefined)
    return { policy: best.policy, verdict: verdictOf(best), reasons: reasonsFor(best, comparison) };
  const faster = candidates
    .filter(({ reading }) => reading !== undefined && reading.before >= slow)
    .filter(({ reading }) => reading !== undefined && reading.after <= reading.before * muchFaster)
    .filter(({ before, after }) => after <= before * mostGrowth)
    .sort((one, other) => (one.reading?.after ?? 0) - (other.reading?.after ?? 0))
    .at(0);
  if (faster !== undefined) {
    const verdict = l10n.t('Write the store again with “{0}”: its texts are read faster.', faster.policy);
    return { policy: faster.policy, verdict, reasons: reasonsFor(faster, comparison) };
  }
  return { verdict: l10n.t('Leave the store as it is.'), reasons: reasonsAgainst(comparison, candidates) };
}

function candidatesOf(comparison: StoreComparison): Candidate[] {
  const { optimized, unwritable, detailed } = comparison;
  const before = optimized['as-is'] ?? 0;
  return (Object.keys(optimized) as (keyof typeof optimized)[])
    .filter((policy): policy is PolicyName => policy !== 'as-is' && unwritable[policy] === undefined)
    .map((policy) => ({ policy, before, after: optimized[policy] ?? before, reading: readingOf(policy, detailed) }));
}

/** The revlog whose reading changes most in time, of those that are looked at in detail. */
function readingOf(policy: PolicyName, detailed: StoreComparison['detailed']): Candidate['reading'] {
  let found: Candidate['reading'];
  for (const { name, ways } of detailed) {
    const [before, after] = [costOf(ways, 'as-is'), costOf(ways, policy)];
    if (before === undefined || after === undefined) continue;
    const change = Math.abs(after - before);
    if (found === undefined || change > Math.abs(found.after - found.before)) found = { name, before, after };
  }
  return found;
}

function costOf(ways: readonly StoredWay[], policy: StoredWay['policy']): number | undefined {
  return ways.find((way) => way.policy === policy)?.cost?.random;
}

function isBearable({ before, after }: { before: number; after: number }): boolean {
  return after <= quick || after <= before * mostSlower;
}

function isNearly(one: Candidate, smallest: Candidate): boolean {
  return one.after - smallest.after <= one.before * 2 * worthwhile;
}

function verdictOf({ policy, before, after }: Candidate): string {
  const saved = [bytesInWords(before - after), percentInWords(before - after, before)];
  return l10n.t('Write the store again with “{0}”: it saves {1}, {2}.', policy, ...saved);
}

function reasonsFor(best: Candidate, comparison: StoreComparison): string[] {
  const { policy, before, after, reading } = best;
  const { manifests, gains, tooLarge, unwritable, optimized } = comparison;
  const reasons = [l10n.t('{0} on disk become {1}.', bytesInWords(before), bytesInWords(after))];
  const [old, fresh] = [manifests['as-is'], manifests[policy]];
  if (old !== undefined && fresh !== undefined && comparison.revlogs > 1) {
    reasons.push(
      l10n.t('The manifests become {0} from {1}.', bytesInWords(diskBytes(fresh)), bytesInWords(diskBytes(old))),
    );
  }
  if (policy !== 'one-parent' && gains.length > 0) {
    const saved = bytesInWords(gains.reduce((sum, gain) => sum + gain.before - gain.after, 0));
    reasons.push(
      gains.length === 1
        ? l10n.t('The merge that gains most when both parents are looked at takes {0} less.', saved)
        : l10n.t('The {0} merges that gain most when both parents are looked at take {1} less.', gains.length, saved),
    );
  }
  if (reading !== undefined) reasons.push(readingInWords(reading));
  if (tooLarge > 0)
    reasons.push(l10n.t('Too large to be replaced while in use, and not counted: {0} of its revlogs.', tooLarge));
  const keeping = policyKeeping()[policy];
  if (keeping !== undefined) reasons.push(keeping);
  for (const other of Object.keys(unwritable) as PolicyName[]) {
    if ((optimized[other] ?? after) >= after * (1 - 2 * worthwhile)) continue;
    reasons.push(
      l10n.t('“{0}” would come to {1}. {2}', other, bytesInWords(optimized[other] ?? 0), unwritable[other] ?? ''),
    );
  }
  return reasons;
}

function readingInWords({ name, before, after }: NonNullable<Candidate['reading']>): string {
  const times = [decimalInWords(before, 2), decimalInWords(after, 2)];
  if (after <= before)
    return l10n.t('Reading a random text of {0} does not become slower: {1} ms became {2} ms here.', name, ...times);
  const why =
    after <= quick ? l10n.t('which nobody notices') : l10n.t('{0} slower', percentInWords(after - before, before));
  return l10n.t('Reading a random text of {0} becomes slower, {1}: {2} ms became {3} ms here.', name, why, ...times);
}

function reasonsAgainst(comparison: StoreComparison, candidates: readonly Candidate[]): string[] {
  if (comparison.revlogs === 0) return [l10n.t('There is nothing in it.')];
  const [smallest] = [...candidates].sort((one, other) => one.after - other.after);
  const reasons: string[] = [];
  if (candidates.length > 0) {
    const saved = smallest.before - smallest.after;
    const gain = [bytesInWords(Math.max(0, saved)), bytesInWords(smallest.before)];
    reasons.push(
      saved < smallest.before * worthwhile
        ? l10n.t('No policy would save more than {0} of {1}.', ...gain)
        : l10n.t('“{0}” would save {1} of {2}, but {3}.', smallest.policy, ...gain, slowness(smallest)),
    );
  }
  return reasons;
}

function slowness({ reading }: Candidate): string {
  if (reading === undefined) return l10n.t('what reading it costs is not known');
  const { name, before, after } = reading;
  const times = [decimalInWords(after, 1), decimalInWords(before, 1)];
  return l10n.t('reading a random text of {0} would take {1} ms instead of {2}', name, ...times);
}
