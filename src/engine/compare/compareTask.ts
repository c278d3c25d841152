import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdReady } from '../compression/block';
import type { Operation } from '../io/operation';
import { ChainState } from '../revlog/policy/chainState';
import type { DeltaSettings } from '../revlog/policy/deltaSettings';
import { Revlog } from '../revlog/revlog';
import { RevlogFiles, type RevlogPaths } from '../revlog/revlogFiles';
import type { RevisionSink } from '../revlog/storedRevisions';
import type { PolicyName } from './policies';
import { readCosts, type ReadCost } from './readCost';
import type { SizedRevlog } from './shares';
import { storeAgain } from './storedAgain';
import { chainCurve, shapeOf, type StoreShape } from './storeShape';

/** What a worker compares. */
export interface CompareRequest {
  revlogs: SizedRevlog[];
  policies: { name: PolicyName; settings: DeltaSettings }[];
  isSparse: boolean;
  /** Also measure what reading costs, and give curves: for a few revlogs, since it writes them to a temporary folder. */
  inDetail: boolean;
}

/** One way to store a revlog. */
export interface StoredWay {
  policy: PolicyName | 'as-is';
  shape: StoreShape;
  cost?: ReadCost;
  curve?: number[];
}

/** A merge that takes fewer bytes with both parents looked at. */
export interface MergeGain {
  rev: number;
  before: number;
  after: number;
}

/** A revlog under every policy. */
export interface RevlogComparison {
  name: string;
  role: SizedRevlog['role'];
  ways: StoredWay[];
  /** The merges that gain most against how they are stored now. */
  gains: MergeGain[];
}

const mostGains = 20;

/** The task that compares a share of revlogs. Its progress counts their bytes. @throws as `storeAgain` */
export async function compareRevlogs(request: CompareRequest, operation: Operation): Promise<RevlogComparison[]> {
  await zstdReady;
  let before = 0;
  return request.revlogs.map((revlog) => {
    const result = compareOne(revlog, request, operation, before);
    before += revlog.bytes;
    return result;
  });
}

function compareOne(
  revlog: SizedRevlog,
  { policies, isSparse, inDetail }: CompareRequest,
  operation: Operation,
  before: number,
): RevlogComparison {
  const { name, role, path, chunkPath, bytes } = revlog;
  using source = Revlog.open(path, { chunkPath });
  const now = ChainState.of(source, isSparse && source.isGeneraldelta);
  const folder = inDetail ? mkdtempSync(join(tmpdir(), 'deltascope-compare-')) : undefined;
  try {
    const sinks = policies.map((_, at) => (folder === undefined ? new CountedBytes() : filesIn(folder, at, source)));
    const stores = policies.map(({ settings }, at) => ({ settings, sink: sinks[at] }));
    const chains = storeAgain(source, stores, operation, (rev) =>
      operation.progress({
        type: 'phase',
        phase: 'analyse',
        state: 'running',
        done: before + (source.length === 0 ? 0 : (bytes * rev) / source.length),
        unit: 'bytes',
      }),
    );
    const places = [{ index: path, chunks: chunkPath }, ...sinks.flatMap(writtenTo)];
    const costs = inDetail && source.length > 0 ? readCosts(places, source.length) : [];
    const ways = [now, ...chains].map((state, at): StoredWay => {
      const policy = at === 0 ? 'as-is' : policies[at - 1].name;
      return { policy, shape: shapeOf(state), ...(inDetail ? { cost: costs.at(at), curve: chainCurve(state) } : {}) };
    });
    const both = policies.findIndex((policy) => policy.name === 'both-parents');
    return { name, role, ways, gains: both < 0 ? [] : gainsOf(now, chains[both]) };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes the place of files where only sizes are asked for. */
class CountedBytes implements RevisionSink {
  add(): void {
    // The chains hold the sizes.
  }
}

/** Where a policy's revlog was written, which is so by then; nowhere when it was only counted. */
function writtenTo(sink: CountedBytes | RevlogFiles): RevlogPaths[] {
  if (!(sink instanceof RevlogFiles)) return [];
  sink.flush();
  return [sink.paths];
}

function filesIn(folder: string, at: number, { isInline, isGeneraldelta }: Revlog): RevlogFiles {
  const paths = { index: join(folder, `${at}.i`), chunks: join(folder, `${at}.d`) };
  return new RevlogFiles(paths, { isInline, isGeneraldelta, length: 0, byteLength: 0, keepsForm: true }, {});
}

function gainsOf(now: ChainState, both: ChainState): MergeGain[] {
  const gains: MergeGain[] = [];
  for (let rev = 0; rev < now.length; rev++) {
    const [before, after] = [now.chunkLengths[rev], both.chunkLengths[rev]];
    if (now.p2s[rev] >= 0 && after < before) gains.push({ rev, before, after });
  }
  return gains.sort((one, other) => other.before - other.after - (one.before - one.after)).slice(0, mostGains);
}
