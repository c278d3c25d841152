import * as l10n from '@vscode/l10n';
import type { ChainReport, Numbers, ReportColumn, ReportFigure, ReportSubject } from '../../protocol/chainReport';
import { chunkKinds } from '../compression/block';
import type { Operation } from '../io/operation';
import { deltaTypes, linearDistance, sizeColumn, type ChainColumns } from '../revlog/chainColumns';
import { summarizeChains, type ChainSummary } from '../revlog/chainSummary';
import { everyDetail, readChainColumns } from '../revlog/readChainColumns';
import { estimateWaste, type WasteEstimate } from '../revlog/wasteEstimate';
import { revlogFindings } from '../survey/revlogFindings';
import { revlogAt } from '../survey/revlogSource';
import {
  bytesInWords,
  decimalInWords,
  deltasInWords,
  numberInWords,
  percentInWords,
  revisionsInWords,
} from '../survey/words';
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
  const shown = tableColumns().filter(({ key }) => isKnown(columns, key));
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
      label: l10n.t('Revisions'),
      value: numberInWords(summary.revisions),
      description:
        summary.merges === 1
          ? l10n.t('Of these, 1 is a merge.')
          : l10n.t('Of these, {0} are merges.', numberInWords(summary.merges)),
    },
    {
      label: l10n.t('On disk'),
      value: bytesInWords(onDisk),
      description: l10n.t('Index {0}, chunks {1}.', bytesInWords(columns.indexBytes), bytesInWords(columns.chunkBytes)),
    },
    {
      label: l10n.t('Texts'),
      value: bytesInWords(summary.textBytes),
      description: l10n.t('What all revisions would take if each were stored whole and not compressed.'),
    },
    {
      label: l10n.t('Stored as'),
      value: percentInWords(onDisk, summary.textBytes),
      description: l10n.t('Bytes on disk for the bytes of the texts.'),
    },
    {
      label: l10n.t('Longest chain'),
      value: deltasInWords(summary.longestChain),
      description: l10n.t('How many deltas are applied, at most, to build a text.'),
    },
    {
      label: l10n.t('Usual chain'),
      value: l10n.t('{0} deltas', decimalInWords(summary.meanChainLength, 1)),
      description: l10n.t('How many deltas are applied to build a text, on average.'),
    },
    {
      label: l10n.t('Stored whole'),
      value: revisionsInWords(wholes),
      description: l10n.t('{0} of the revisions begin a chain.', percentInWords(wholes, summary.revisions)),
    },
    {
      label: l10n.t('Could save'),
      value: bytesInWords(waste.total),
      description: l10n.t('An estimate of what writing all deltas again would save.'),
    },
  ];
}

const sent = { from: 'values' } as const;

/** In the order of the table. Names are those of `hg debugdeltachain`; it does not say the compression. */
const tableColumns = (): ReportColumn[] => [
  {
    key: 'rev',
    label: l10n.t('Revision'),
    description: l10n.t('Number of the revision.'),
    format: 'row',
    source: { from: 'row' },
  },
  {
    key: 'p1',
    label: l10n.t('Parent 1'),
    description: l10n.t('First parent; -1 for none.'),
    format: 'row',
    source: sent,
  },
  {
    key: 'p2',
    label: l10n.t('Parent 2'),
    description: l10n.t('Second parent; -1 for none.'),
    format: 'row',
    source: sent,
  },
  {
    key: 'chainid',
    label: l10n.t('Chain'),
    description: l10n.t('Number of the delta chain.'),
    format: 'number',
    source: sent,
  },
  {
    key: 'chainlen',
    label: l10n.t('Length'),
    description: l10n.t('How many chunks make up the text, the whole one included.'),
    format: 'number',
    source: sent,
  },
  {
    key: 'prevrev',
    label: l10n.t('Base'),
    description: l10n.t('The revision that this one is a delta against; -1 for none.'),
    format: 'row',
    source: sent,
  },
  {
    key: 'deltatype',
    label: l10n.t('Delta'),
    description: l10n.t(
      'What the delta is against: a parent (p1, p2), the one before (prev), a snapshot (snap), a base further down (skip1, skip2), another; base is a whole text.',
    ),
    format: 'choice',
    choices: deltaTypes,
    source: sent,
  },
  { key: 'compsize', label: l10n.t('Size'), description: l10n.t('Bytes of the chunk.'), format: 'bytes', source: sent },
  {
    key: 'uncompsize',
    label: l10n.t('Text'),
    description: l10n.t('Bytes of the text.'),
    format: 'bytes',
    source: sent,
  },
  {
    key: 'chainsize',
    label: l10n.t('Chain size'),
    description: l10n.t('Bytes of all chunks of the chain.'),
    format: 'bytes',
    source: sent,
  },
  {
    key: 'chainratio',
    label: l10n.t('Ratio'),
    description: l10n.t('Bytes of the chain for a byte of the text.'),
    format: 'ratio',
    source: { from: 'ratio', part: 'chainsize', whole: 'uncompsize', ofNothing: 'part' },
  },
  {
    key: 'lindist',
    label: l10n.t('Distance'),
    description: l10n.t("Bytes from the begin of the chain's first chunk to the end of this one."),
    format: 'bytes',
    source: sent,
  },
  {
    key: 'extradist',
    label: l10n.t('Extra'),
    description: l10n.t('Of that distance, bytes that do not belong to the chain.'),
    format: 'bytes',
    source: { from: 'difference', of: 'lindist', less: 'chainsize' },
  },
  {
    key: 'extraratio',
    label: l10n.t('Extra ratio'),
    description: l10n.t('Those bytes for a byte of the chain.'),
    format: 'ratio',
    source: { from: 'ratio', part: 'extradist', whole: 'chainsize', ofNothing: 'part' },
  },
  {
    key: 'readsize',
    label: l10n.t('Read'),
    description: l10n.t('Bytes that are read to build the text, large gaps left out.'),
    format: 'bytes',
    source: sent,
  },
  {
    key: 'largestblock',
    label: l10n.t('Largest read'),
    description: l10n.t('Bytes of the largest of these reads.'),
    format: 'bytes',
    source: sent,
  },
  {
    key: 'readdensity',
    label: l10n.t('Density'),
    description: l10n.t('Of the bytes that are read, the part that belongs to the chain.'),
    format: 'ratio',
    source: { from: 'ratio', part: 'chainsize', whole: 'readsize', ofNothing: 'one' },
  },
  {
    key: 'srchunks',
    label: l10n.t('Reads'),
    description: l10n.t('How many reads it takes.'),
    format: 'number',
    source: sent,
  },
  {
    key: 'compression',
    label: l10n.t('Compression'),
    description: l10n.t('How the chunk is stored: zlib, zstd, as it is (stored, whole), or nothing at all (empty).'),
    format: 'choice',
    choices: chunkKinds,
    source: sent,
  },
];
