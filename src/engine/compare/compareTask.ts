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
import { addSums, noSums, type ComparisonSums } from './comparisonSums';
import { gainsOf, mostGaining, type MergeGain } from './mergeGains';
import type { PolicyName } from './policies';
import { readCosts, type ReadCost } from './readCost';
import type { SizedRevlog } from './shares';
import { noEffort, storeAgain, type StoringEffort } from './storedAgain';
import { chainCurve, shapeOf, type StoreShape } from './storeShape';

/** What a worker compares. */
export interface CompareRequest {
  revlogs: SizedRevlog[];
  policies: { name: PolicyName; settings: DeltaSettings }[];
  isSparse: boolean;
  /** Also give curves, and measure what reading costs: only of a few revlogs, since that writes them to a temporary folder. */
  detail: 'none' | 'curves' | 'costs';
  /** Revlogs that take more bytes on disk are not replaced by an optimisation. */
  largestReplaced: number;
}

/** One way to store a revlog. */
export interface StoredWay {
  policy: PolicyName | 'as-is';
  shape: StoreShape;
  cost?: ReadCost;
  curve?: number[];
}

/** A revlog under every policy. */
export interface RevlogComparison {
  name: string;
  role: SizedRevlog['role'];
  /** Path of its index. */
  index: string;
  ways: StoredWay[];
}

/** What comparing a share of revlogs came to; those in detail one by one. */
export interface ShareComparison {
  sums: ComparisonSums;
  detailed: RevlogComparison[];
  /** The merges that gain most against how they are stored now. */
  gains: MergeGain[];
  /** What it took, policy by policy, and in all, in milliseconds. */
  effort: StoringEffort;
  milliseconds: number;
}

/** The task that compares a share of revlogs. Its progress counts their bytes. @throws as `storeAgain` */
export async function compareRevlogs(request: CompareRequest, operation: Operation): Promise<ShareComparison> {
  await zstdReady;
  const begun = performance.now();
  const effort = noEffort(request.policies.length);
  const sums = noSums();
  const detailed: RevlogComparison[] = [];
  let gains: MergeGain[] = [];
  let before = 0;
  for (const revlog of request.revlogs) {
    const { ways, gained } = compareOne(revlog, request, operation, before, effort);
    const { name, role, path, bytes } = revlog;
    addSums(sums, ways, role, bytes > request.largestReplaced);
    gains = mostGaining([...gains, ...gained]);
    if (request.detail !== 'none') detailed.push({ name, role, index: path, ways });
    before += bytes;
  }
  return { sums, detailed, gains, effort, milliseconds: performance.now() - begun };
}

function compareOne(
  revlog: SizedRevlog,
  { policies, isSparse, detail }: CompareRequest,
  operation: Operation,
  before: number,
  effort: StoringEffort,
): { ways: StoredWay[]; gained: MergeGain[] } {
  const { path, chunkPath, bytes } = revlog;
  using source = Revlog.open(path, { chunkPath });
  const now = ChainState.of(source, isSparse && source.isGeneraldelta);
  const folder = detail === 'costs' ? mkdtempSync(join(tmpdir(), 'deltascope-compare-')) : undefined;
  try {
    const sinks = policies.map((_, at) => (folder === undefined ? new CountedBytes() : filesIn(folder, at, source)));
    const stores = policies.map(({ settings }, at) => ({ settings, sink: sinks[at] }));
    const report = (rev: number) =>
      operation.progress({
        type: 'phase',
        phase: 'analyse',
        state: 'running',
        done: before + (source.length === 0 ? 0 : (bytes * rev) / source.length),
        unit: 'bytes',
      });
    const chains = storeAgain(source, stores, operation, report, effort);
    const places = [{ index: path, chunks: chunkPath }, ...sinks.flatMap(writtenTo)];
    const costs = detail === 'costs' && source.length > 0 ? readCosts(places, source.length) : [];
    const ways = [now, ...chains].map((state, at): StoredWay => {
      const policy = at === 0 ? 'as-is' : policies[at - 1].name;
      const curve = detail === 'none' ? {} : { curve: chainCurve(state) };
      return { policy, shape: shapeOf(state), ...(costs.length > 0 ? { cost: costs[at] } : {}), ...curve };
    });
    const both = policies.findIndex(({ name }) => name === 'both-parents');
    return { ways, gained: both < 0 ? [] : gainsOf(revlog, now, chains[both]) };
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
