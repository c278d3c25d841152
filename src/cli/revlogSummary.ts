import type { ChunkKind } from '../engine/compression/block';
import type { ChainSummary, Share, SizeRange } from '../engine/revlog/chainSummary';
import { toFixedEven } from './fixedPoint';

/** How `hg debugrevlog` names the kinds of chunk, in its order. */
const kindLabels: [ChunkKind, string][] = [
  ['whole', '0x00'],
  ['zstd', '0x28'],
  ['empty', 'empty'],
  ['stored', '0x75 (u)'],
  ['zlib', '0x78 (x)'],
  ['unknown', 'unknown'],
];

/** A summary in the words and the form of `hg debugrevlog`, so that the two can be held side by side. */
export function formatSummary(summary: ChainSummary): string {
  return [
    ...format(summary),
    '',
    ...revisions(summary),
    '',
    ...(summary.kinds === undefined ? [] : [...kinds(summary), '']),
    ...chains(summary),
    '',
    ...sizes(summary),
    ...against(summary),
    '',
  ].join('\n');
}

function format(summary: ChainSummary): string[] {
  const flags = [summary.isInline ? 'inline' : '', summary.isGeneraldelta ? 'generaldelta' : ''].filter(Boolean);
  return ['format : 1', `flags  : ${flags.length > 0 ? flags.join(', ') : '(none)'}`];
}

function revisions(summary: ChainSummary): string[] {
  const { revisions: all, merges, emptyTexts, emptyDeltas, snapshots, deltas, chunkBytes } = summary;
  const empty = emptyTexts + emptyDeltas;
  const total = sum(snapshots);
  const levels = [...snapshots.entries()].filter(([, share]) => share.revisions > 0);
  const row = counter([all, chunkBytes]);
  return [
    `revisions     : ${row(all)}`,
    `    merges    : ${row(merges, all)}`,
    `    normal    : ${row(all - merges, all)}`,
    `revisions     : ${row(all)}`,
    `    empty     : ${row(empty, all)}`,
    `                   text  : ${row(emptyTexts, empty)}`,
    `                   delta : ${row(emptyDeltas, empty)}`,
    `    snapshot  : ${row(total.revisions, all)}`,
    ...levels.map(([level, share]) => `      lvl-${String(level).padEnd(4)}:       ${row(share.revisions, all)}`),
    `    deltas    : ${row(deltas.revisions, all)}`,
    `revision size : ${row(chunkBytes)}`,
    `    snapshot  : ${row(total.bytes, chunkBytes)}`,
    ...levels.map(([level, share]) => `      lvl-${String(level).padEnd(4)}:       ${row(share.bytes, chunkBytes)}`),
    `    deltas    : ${row(deltas.bytes, chunkBytes)}`,
  ];
}

function kinds(summary: ChainSummary): string[] {
  const { revisions: all, chunkBytes } = summary;
  const row = counter([all, chunkBytes]);
  const present = kindLabels.flatMap(([kind, label]): [string, Share][] => {
    const share = summary.kinds?.[kind];
    return share === undefined ? [] : [[label.padEnd(10), share]];
  });
  return [
    `chunks        : ${row(all)}`,
    ...present.map(([label, share]) => `    ${label}: ${row(share.revisions, all)}`),
    `chunks size   : ${row(chunkBytes)}`,
    ...present.map(([label, share]) => `    ${label}: ${row(share.bytes, chunkBytes)}`),
  ];
}

function chains(summary: ChainSummary): string[] {
  const { meanChainLength, longestChain, longestReach, textBytes, chunkBytes } = summary;
  const ratio = chunkBytes === 0 ? 1 : textBytes / chunkBytes;
  const counts = [Math.floor(meanChainLength), longestChain, longestReach];
  const isWidest = chunkBytes > 0 && ratio > Math.max(...counts);
  const row = counter(isWidest ? [ratio] : counts, isWidest && Number.isInteger(ratio) ? '.0'.length : 0);
  return [
    `avg chain length  : ${row(Math.floor(meanChainLength))}`,
    `max chain length  : ${row(longestChain)}`,
    `max chain reach   : ${row(longestReach)}`,
    `compression ratio : ${row(Math.floor(ratio))}`,
  ];
}

function sizes(summary: ChainSummary): string[] {
  const { texts, wholeTexts, intermediateSnapshots, snapshotLevels, deltaSizes } = summary;
  const levels = [...snapshotLevels.entries()].filter(([, one]) => one.count > 0);
  return [
    `uncompressed data size (min/max/avg) : ${range(texts)}`,
    `full revision size (min/max/avg)     : ${range(wholeTexts)}`,
    `inter-snapshot size (min/max/avg)    : ${range(intermediateSnapshots)}`,
    ...levels.map(([level, one]) => `    level-${String(level + 1).padEnd(4)}(min/max/avg)          : ${range(one)}`),
    `delta size (min/max/avg)             : ${range(deltaSizes)}`,
  ];
}

function against(summary: ChainSummary): string[] {
  const { against: counts, deltas, isGeneraldelta } = summary;
  if (deltas.revisions === 0) return [];
  const { isP1, isP2, isOther } = counts.previous;
  const previous = isP1 + isP2 + isOther;
  const row = counter([deltas.revisions]);
  const rows = [
    '',
    `deltas against prev  : ${row(previous, deltas.revisions)}`,
    `    where prev = p1  : ${row(isP1, previous, '     ')}`,
    `    where prev = p2  : ${row(isP2, previous, '     ')}`,
    `    other            : ${row(isOther, previous, '     ')}`,
  ];
  if (!isGeneraldelta) return rows;
  return [
    ...rows,
    `deltas against p1    : ${row(counts.p1, deltas.revisions)}`,
    `deltas against p2    : ${row(counts.p2, deltas.revisions)}`,
    `deltas against other : ${row(counts.other, deltas.revisions)}`,
  ];
}

/** Writes numbers as wide as the largest of a block is (a ratio that comes out even is `2.0` there), with their part of a whole where they are asked for it. */
function counter(block: number[], more = 0): (value: number, whole?: number, space?: string) => string {
  const width = String(Math.max(...block)).length + more;
  return (value, whole, space = ' ') => {
    const text = String(value).padStart(width);
    return whole === undefined ? text : `${text}${space}(${percentage(value, whole)}%)`;
  };
}

function percentage(value: number, whole: number): string {
  return toFixedEven(whole === 0 ? 100 : (100 * value) / whole, 2).padStart(5);
}

function range({ count, smallest, largest, total }: SizeRange): string {
  return `${smallest} / ${largest} / ${count === 0 ? 0 : Math.floor(total / count)}`;
}

function sum(shares: Share[]): Share {
  return shares.reduce((one, other) => ({
    revisions: one.revisions + other.revisions,
    bytes: one.bytes + other.bytes,
  }));
}
