import { noSnapshot, type ChainState } from './chainState';
import type { DeltaSettings } from './deltaSettings';

/** The most snapshots that a delta is made against, to see which is smallest. */
const mostSnapshots = 8;

/** The revision that a base is looked for. */
export interface BaseQuestion {
  p1: number;
  p2: number;
  /** The base of a delta that came with the revision; -1 when that is a whole text, undefined when none came. */
  given?: number;
}

/**
 * The bases that a revision's delta can be against, in groups: the first group that has one within the limits is where the
 * choice is made. Parents come first, since texts are mostly changes of them; then snapshots, which begin a new branch of a
 * chain; then whatever is stored before.
 */
export function* baseGroups(chains: ChainState, settings: DeltaSettings, question: BaseQuestion): Generator<number[]> {
  const previous = chains.length - 1;
  if (previous < 0) return;
  if (!settings.isGeneraldelta) {
    yield [previous];
    return;
  }
  yield* parentGroups(settings, question);
  if (settings.isSparse) yield snapshotsNear(chains, question);
  yield [previous];
}

function* parentGroups(settings: DeltaSettings, { p1, p2, given }: BaseQuestion): Generator<number[]> {
  // The parent that was stored last is, of two, the one whose chain is more likely to be read anyway.
  const parents = [...new Set([p1, p2])].filter((parent) => parent >= 0).sort((one, other) => other - one);
  if (settings.reuse === 'always' && given !== undefined && given >= 0) yield [given];
  if (settings.bothParents) {
    // What came along may be against something better than a parent, and costs nothing to look at.
    const isOther = settings.reuse === 'judge' && given !== undefined && given >= 0 && !parents.includes(given);
    yield isOther ? [...parents, given] : parents;
  } else for (const parent of parents) yield [parent];
}

/**
 * Snapshots on the chains of the parents, or of the revision before where there are none, and the latest ones that begin
 * where those chains do.
 */
function snapshotsNear(chains: ChainState, { p1, p2 }: BaseQuestion): number[] {
  const previous = chains.length - 1;
  const starts = p1 < 0 && p2 < 0 ? [previous] : [p1, p2].filter((parent) => parent >= 0);
  const found = new Set<number>();
  for (const start of starts) {
    for (let link = start; link >= 0; link = chains.bases[link]) {
      if (chains.levels[link] !== noSnapshot) found.add(link);
    }
  }
  const latest = chains.latestSnapshots;
  for (let at = latest.length - 1; at >= 0 && found.size < mostSnapshots; at--) found.add(latest[at]);
  return [...found].slice(0, mostSnapshots);
}
