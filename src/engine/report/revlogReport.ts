import type { ChainReport, Numbers, ReportColumn, ReportFigure, ReportSubject } from '../../protocol/chainReport';
import { chunkKinds } from '../compression/block';
import type { Operation } from '../io/operation';
import { deltaTypes, linearDistance, sizeColumn, type ChainColumns } from '../revlog/chainColumns';
import { summarizeChains, type ChainSummary } from '../revlog/chainSummary';
import { everyDetail, readChainColumns } from '../revlog/readChainColumns';
import { estimateWaste, type WasteEstimate } from '../revlog/wasteEstimate';
import { revlogFindings } from '../survey/revlogFindings';
import { revlogAt } from '../survey/revlogSource';
import { bytesInWords, countInWords, percentInWords } from '../survey/words';
import { bySeverity } from '../survey/finding';
import { verdictOf } from './verdict';

/**
 * Makes the report of a revlog: every column of `hg debugdeltachain`, how each chunk is compressed, findings and figures.
 * @throws as `readChainColumns` does
 */
export function revlogReport(subject: Extract<ReportSubject, { kind: 'revlog' }>, operation: Operation): ChainReport {
  const source = revlogAt(subject.index);
  const { columns, faults, faultCounts } = readChainColumns(source, everyDetail, operation);
  const summary = summarizeChains(columns);
  const waste = estimateWaste(columns);
  const facts = { name: subject.name, columns, summary, waste, faults, faultCounts };
  const findings = bySeverity(revlogFindings(facts));
  const shown = tableColumns.filter(({ key }) => isKnown(columns, key));
  return {
    head: {
      subject,
      title: subject.name,
      path: source.path,
      ...verdictOf(findings),
      findings,
      figures: figuresOf(columns, summary, waste),
      rowName: { one: 'revision', many: 'revisions' },
      count: columns.count,
      columns: shown,
      roles: {
        base: 'prevrev',
        stored: 'compsize',
        text: 'uncompsize',
        chainLength: 'chainlen',
        chainSize: 'chainsize',
        deltaKind: 'deltatype',
        compression: columns.kinds && 'compression',
        readBytes: columns.sparse && 'readsize',
        reads: columns.sparse && 'srchunks',
      },
    },
    values: valuesOf(columns),
  };
}

function valuesOf(columns: ChainColumns): Record<string, Numbers> {
  const { sparse, kinds } = columns;
  return {
    p1: columns.p1s,
    p2: columns.p2s,
    chainid: columns.chainIds,
    chainlen: columns.chainLengths,
    prevrev: columns.deltaParents,
    deltatype: columns.types,
    compsize: columns.chunkLengths,
    uncompsize: columns.textLengths,
    chainsize: columns.chainSizes,
    lindist: linearDistances(columns),
    ...(sparse && { readsize: sparse.readSizes, largestblock: sparse.largestBlocks, srchunks: sparse.blockCounts }),
    ...(kinds && { compression: kinds }),
  };
}

function linearDistances(columns: ChainColumns): Numbers {
  const distances = sizeColumn(columns.count, columns.chunkBytes);
  for (let rev = 0; rev < columns.count; rev++) distances[rev] = linearDistance(columns, rev);
  return distances;
}

function isKnown({ sparse, kinds }: ChainColumns, key: string): boolean {
  if (['readsize', 'largestblock', 'readdensity', 'srchunks'].includes(key)) return sparse !== undefined;
  return key !== 'compression' || kinds !== undefined;
}

function figuresOf(columns: ChainColumns, summary: ChainSummary, waste: WasteEstimate): ReportFigure[] {
  const onDisk = columns.indexBytes + columns.chunkBytes;
  const wholes = summary.snapshots.at(0)?.revisions ?? 0;
  return [
    {
      label: 'Revisions',
      value: countInWords(summary.revisions, '', '').trim(),
      description: `Of these, ${countInWords(summary.merges, 'is a merge', 'are merges')}.`,
    },
    {
      label: 'On disk',
      value: bytesInWords(onDisk),
      description: `Index ${bytesInWords(columns.indexBytes)}, chunks ${bytesInWords(columns.chunkBytes)}.`,
    },
    {
      label: 'Texts',
      value: bytesInWords(summary.textBytes),
      description: 'What all revisions would take if each were stored whole and not compressed.',
    },
    {
      label: 'Stored as',
      value: percentInWords(onDisk, summary.textBytes),
      description: 'Bytes on disk for the bytes of the texts.',
    },
    {
      label: 'Longest chain',
      value: countInWords(summary.longestChain, 'delta'),
      description: 'How many deltas are applied, at most, to build a text.',
    },
    {
      label: 'Usual chain',
      value: `${summary.meanChainLength.toFixed(1)} deltas`,
      description: 'How many deltas are applied to build a text, on average.',
    },
    {
      label: 'Stored whole',
      value: countInWords(wholes, 'revision'),
      description: `${percentInWords(wholes, summary.revisions)} of the revisions begin a chain.`,
    },
    {
      label: 'Could save',
      value: bytesInWords(waste.total),
      description: 'An estimate of what writing all deltas again would save.',
    },
  ];
}

const sent = { from: 'values' } as const;

/** In the order of the table. Names are those of `hg debugdeltachain`; it does not say the compression. */
const tableColumns: ReportColumn[] = [
  { key: 'rev', label: 'Revision', description: 'Number of the revision.', format: 'row', source: { from: 'row' } },
  { key: 'p1', label: 'Parent 1', description: 'First parent; -1 for none.', format: 'row', source: sent },
  { key: 'p2', label: 'Parent 2', description: 'Second parent; -1 for none.', format: 'row', source: sent },
  { key: 'chainid', label: 'Chain', description: 'Number of the delta chain.', format: 'number', source: sent },
  {
    key: 'chainlen',
    label: 'Length',
    description: 'How many chunks make up the text, the whole one included.',
    format: 'number',
    source: sent,
  },
  {
    key: 'prevrev',
    label: 'Base',
    description: 'The revision that this one is a delta against; -1 for none.',
    format: 'row',
    source: sent,
  },
  {
    key: 'deltatype',
    label: 'Delta',
    description:
      'What the delta is against: a parent (p1, p2), the one before (prev), a snapshot (snap), a base further down (skip1, skip2), another; base is a whole text.',
    format: 'choice',
    choices: deltaTypes,
    source: sent,
  },
  { key: 'compsize', label: 'Size', description: 'Bytes of the chunk.', format: 'bytes', source: sent },
  { key: 'uncompsize', label: 'Text', description: 'Bytes of the text.', format: 'bytes', source: sent },
  {
    key: 'chainsize',
    label: 'Chain size',
    description: 'Bytes of all chunks of the chain.',
    format: 'bytes',
    source: sent,
  },
  {
    key: 'chainratio',
    label: 'Ratio',
    description: 'Bytes of the chain for a byte of the text.',
    format: 'ratio',
    source: { from: 'ratio', part: 'chainsize', whole: 'uncompsize', ofNothing: 'part' },
  },
  {
    key: 'lindist',
    label: 'Distance',
    description: "Bytes from the begin of the chain's first chunk to the end of this one.",
    format: 'bytes',
    source: sent,
  },
  {
    key: 'extradist',
    label: 'Extra',
    description: 'Of that distance, bytes that do not belong to the chain.',
    format: 'bytes',
    source: { from: 'difference', of: 'lindist', less: 'chainsize' },
  },
  {
    key: 'extraratio',
    label: 'Extra ratio',
    description: 'Those bytes for a byte of the chain.',
    format: 'ratio',
    source: { from: 'ratio', part: 'extradist', whole: 'chainsize', ofNothing: 'part' },
  },
  {
    key: 'readsize',
    label: 'Read',
    description: 'Bytes that are read to build the text, large gaps left out.',
    format: 'bytes',
    source: sent,
  },
  {
    key: 'largestblock',
    label: 'Largest read',
    description: 'Bytes of the largest of these reads.',
    format: 'bytes',
    source: sent,
  },
  {
    key: 'readdensity',
    label: 'Density',
    description: 'Of the bytes that are read, the part that belongs to the chain.',
    format: 'ratio',
    source: { from: 'ratio', part: 'chainsize', whole: 'readsize', ofNothing: 'one' },
  },
  { key: 'srchunks', label: 'Reads', description: 'How many reads it takes.', format: 'number', source: sent },
  {
    key: 'compression',
    label: 'Compression',
    description: 'How the chunk is stored: zlib, zstd, as it is (stored, whole), or nothing at all (empty).',
    format: 'choice',
    choices: chunkKinds,
    source: sent,
  },
];
