import { hexName } from './objectFormat';
import { kindNames } from './objectKind';
import { blockCodings, noBase, outsideBase, type PackColumns } from './packColumns';

/** One entry of a pack, by name. */
export interface PackEntrySummary {
  name: string;
  kind: string;
  offset: number;
  /** Bytes of the object, and of its entry in the pack. */
  objectSize: number;
  packedSize: number;
  depth: number;
  /** Bytes that must be read to build the object. */
  chainSize: number;
  base?: string;
  coding: string;
}

export interface KindSummary {
  objects: number;
  deltas: number;
  objectBytes: number;
  packedBytes: number;
}

/** What a pack holds, and where its weight and its length are. */
export interface PackSummary {
  pack: string;
  format: string;
  packBytes: number;
  objects: number;
  objectBytes: number;
  kinds: Record<string, KindSummary>;
  /** Objects that are whole, and deltas by how they name their base. */
  whole: number;
  offsetDeltas: number;
  nameDeltas: number;
  outsideBases: number;
  /** How many objects have a chain of each length, from 0 on. */
  chainLengths: number[];
  meanDepth: number;
  codings: Record<string, { objects: number; packedBytes: number }>;
  deepest: PackEntrySummary[];
  largest: PackEntrySummary[];
  largestPacked: PackEntrySummary[];
  /** Objects of some size whose entry is the largest part of it. */
  worstRatios: PackEntrySummary[];
  /** Objects whose chain is longest to read for what comes out. */
  costliestChains: PackEntrySummary[];
}

const ratiosFrom = 1024;

/** Sums up the columns of a pack. @param top how many entries to name in each list. */
export function summarizePack(columns: PackColumns, top = 10): PackSummary {
  const { count, kinds, types, objectSizes, packedSizes, depths, chainSizes, codings, bases } = columns;
  const byKind: Record<string, KindSummary> = {};
  const byCoding: PackSummary['codings'] = {};
  const chainLengths: number[] = [];
  const stored = [0, 0, 0, 0, 0, 0, 0, 0];
  let objectBytes = 0;
  let depthSum = 0;
  let outsideBases = 0;
  for (let entry = 0; entry < count; entry++) {
    const kind = (byKind[kindNames[kinds[entry]]] ??= { objects: 0, deltas: 0, objectBytes: 0, packedBytes: 0 });
    kind.objects++;
    kind.deltas += depths[entry] > 0 ? 1 : 0;
    kind.objectBytes += objectSizes[entry];
    kind.packedBytes += packedSizes[entry];
    const coding = (byCoding[codingName(codings[entry])] ??= { objects: 0, packedBytes: 0 });
    coding.objects++;
    coding.packedBytes += packedSizes[entry];
    while (chainLengths.length <= depths[entry]) chainLengths.push(0);
    chainLengths[depths[entry]]++;
    stored[types[entry]]++;
    objectBytes += objectSizes[entry];
    depthSum += depths[entry];
    outsideBases += bases[entry] === outsideBase ? 1 : 0;
  }
  const list = (weight: (entry: number) => number) =>
    topEntries(count, top, weight).map((entry) => summarizeEntry(columns, entry));
  return {
    pack: columns.pack,
    format: columns.format,
    packBytes: columns.packBytes,
    objects: count,
    objectBytes,
    kinds: byKind,
    whole: stored[1] + stored[2] + stored[3] + stored[4],
    offsetDeltas: stored[6],
    nameDeltas: stored[7],
    outsideBases,
    chainLengths,
    meanDepth: count === 0 ? 0 : depthSum / count,
    codings: byCoding,
    deepest: list((entry) => depths[entry]),
    largest: list((entry) => objectSizes[entry]),
    largestPacked: list((entry) => packedSizes[entry]),
    worstRatios: list((entry) => (objectSizes[entry] < ratiosFrom ? 0 : packedSizes[entry] / objectSizes[entry])),
    costliestChains: list((entry) => (objectSizes[entry] < ratiosFrom ? 0 : chainSizes[entry] / objectSizes[entry])),
  };
}

/** One entry in words and numbers. */
export function summarizeEntry(columns: PackColumns, entry: number): PackEntrySummary {
  const { names, kinds, offsets, objectSizes, packedSizes, depths, chainSizes, bases, codings, format } = columns;
  const nameLength = format === 'sha1' ? 20 : 32;
  return {
    name: hexName(names, entry * nameLength, nameLength),
    kind: kindNames[kinds[entry]],
    offset: offsets[entry],
    objectSize: objectSizes[entry],
    packedSize: packedSizes[entry],
    depth: depths[entry],
    chainSize: chainSizes[entry],
    base: bases[entry] > noBase ? hexName(names, bases[entry] * nameLength, nameLength) : undefined,
    coding: codingName(codings[entry]),
  };
}

function codingName(coding: number): string {
  return coding < blockCodings.length ? blockCodings[coding] : 'unknown';
}

/** The entries with the greatest weights above 0, greatest first; one pass, no sort of all. */
function topEntries(count: number, top: number, weight: (entry: number) => number): number[] {
  const best: { entry: number; weight: number }[] = [];
  for (let entry = 0; entry < count; entry++) {
    const found = weight(entry);
    if (found <= 0 || (best.length === top && found <= best[top - 1].weight)) continue;
    let at = best.length;
    while (at > 0 && best[at - 1].weight < found) at--;
    best.splice(at, 0, { entry, weight: found });
    if (best.length > top) best.pop();
  }
  return best.map(({ entry }) => entry);
}
