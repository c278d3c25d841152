import { throwIfCancelled, type Operation } from '../io/operation';
import { ChainTexts, type ChunkSource } from '../revlog/chainTexts';
import { nullRev, type Rev } from '../revlog/node';
import { ChainState } from '../revlog/policy/chainState';
import type { DeltaSettings } from '../revlog/policy/deltaSettings';
import { RevisionDeltas, type GivenDelta } from '../revlog/revisionDeltas';
import type { Revlog } from '../revlog/revlog';
import { StoredRevisions, type RevisionSink } from '../revlog/storedRevisions';

const keptTextBytes = 48 << 20;
const revsBetweenChecks = 256;
const nodeLength = 20;

/** A policy, and where what it makes of a history goes. */
export interface StoringAgain {
  settings: DeltaSettings;
  sink: RevisionSink;
}

/** Milliseconds that storing again took: to put the texts together, and to store them under each policy. */
export interface StoringEffort {
  texts: number;
  policies: number[];
}

/**
 * Stores a history again under several policies at once, in one pass over its texts: each text is put together once, each
 * delta made once, and compressed once for each engine and level. Gives the chains under each policy.
 *
 * @param onRevision told how many revisions are done, now and then
 * @param effort what it took is added to this
 * @throws `corrupt` when a text cannot be put together, `cancelled`, what the sinks throw
 */
export function storeAgain(
  source: Revlog,
  policies: readonly StoringAgain[],
  operation: Pick<Operation, 'signal'>,
  onRevision: (done: number) => void = () => undefined,
  effort: StoringEffort = noEffort(policies.length),
): ChainState[] {
  const texts = sourceTexts(source);
  const stored = policies.map(({ settings, sink }) => {
    const fitting = fittingSettings(settings, source);
    return new StoredRevisions(new ChainState(fitting.isSparse), fitting, sink);
  });
  for (let number = 0; number < source.length; number++) {
    const rev = number as Rev;
    if (number % revsBetweenChecks === 0) {
      throwIfCancelled(operation);
      onRevision(number);
    }
    const node = Buffer.allocUnsafe(nodeLength);
    source.copyNode(rev, node, 0);
    const fields = {
      node,
      p1: source.p1(rev),
      p2: source.p2(rev),
      linkrev: source.linkrev(rev),
      flags: source.flags(rev),
    };
    let since = performance.now();
    const text = texts.rawText(rev);
    const deltas = new RevisionDeltas(text, (base) => texts.rawText(base), givenBy(source, rev, text));
    effort.texts += performance.now() - since;
    stored.forEach((one, at) => {
      since = performance.now();
      one.add(fields, deltas);
      effort.policies[at] += performance.now() - since;
    });
  }
  onRevision(source.length);
  return stored.map(({ chains }) => chains);
}

/** Nothing yet. */
export function noEffort(policies: number): StoringEffort {
  return { texts: 0, policies: new Array<number>(policies).fill(0) };
}

/** Texts of a revlog that is read from beginning to end. */
export function sourceTexts(source: Revlog): ChainTexts {
  return new ChainTexts(chunksOf(source), keptTextBytes);
}

function chunksOf(source: Revlog): ChunkSource {
  return {
    baseOf: (rev) => source.deltaParent(rev as Rev),
    decodedChunks: (revs) => source.decodedChunks(revs),
    describe: (rev) => source.describe(rev),
  };
}

/** A revlog keeps the form it has: one without generaldelta has deltas against the revision before only. */
function fittingSettings(settings: DeltaSettings, { isGeneraldelta }: Revlog): DeltaSettings {
  return { ...settings, isGeneraldelta, isSparse: settings.isSparse && isGeneraldelta };
}

/** How the revision is stored now, which is worth a look, and need not be made again. */
function givenBy(source: Revlog, rev: Rev, text: Uint8Array): GivenDelta {
  const base = source.deltaParent(rev);
  const chunk = source.chunk(rev);
  const isMerge = source.p2(rev) !== nullRev;
  return { base, bytes: base === nullRev ? text : source.decodedChunk(rev), isMerge, chunk };
}
