import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import type { ChainReport, ReportColumn, ReportFigure, ReportSubject } from '../../protocol/chainReport';
import type { Operation } from '../io/operation';
import { kindNames, packType } from '../pack/objectKind';
import { blockCodings, noBase, outsideBase, type PackColumns } from '../pack/packColumns';
import { summarizePack, type PackSummary } from '../pack/packSummary';
import { readPackColumns } from '../pack/readPackColumns';
import { bySeverity, type Finding } from '../survey/finding';
import {
  bytesInWords,
  decimalInWords,
  deltasInWords,
  numberInWords,
  objectsInWords,
  percentInWords,
} from '../survey/words';
import { verdictOf } from './verdict';

/** Git itself makes chains of at most 50 deltas, unless it is told otherwise. */
const longChain = 50;
const notableBytes = 1_000_000;

const deltaKinds = ['whole', 'by offset', 'by name', 'base elsewhere'] as const;

/** Makes the report of a Git pack: its entries, their chains, findings and figures. @throws as `readPackColumns` does */
export async function packReport(
  subject: Extract<ReportSubject, { kind: 'pack' }>,
  operation: Operation,
): Promise<ChainReport> {
  const columns = await readPackColumns(subject.path, operation);
  const summary = summarizePack(columns);
  const findings = bySeverity(packFindings(summary));
  return {
    head: {
      subject,
      title: basename(subject.path),
      path: subject.path,
      ...verdictOf(findings),
      findings,
      figures: figuresOf(summary),
      rowName: { one: 'object', many: 'objects' },
      count: columns.count,
      columns: tableColumns(columns),
      roles: {
        base: 'base',
        stored: 'packed',
        text: 'size',
        chainLength: 'depth',
        chainSize: 'chainsize',
        deltaKind: 'delta',
        compression: 'coding',
      },
    },
    values: {
      name: columns.names,
      kind: columns.kinds,
      delta: deltaKindsOf(columns),
      size: columns.objectSizes,
      inflated: columns.sizes,
      packed: columns.packedSizes,
      depth: columns.depths,
      base: columns.bases,
      chainsize: columns.chainSizes,
      offset: columns.offsets,
      coding: columns.codings,
    },
  };
}

function deltaKindsOf({ count, types, bases }: PackColumns): Uint8Array {
  const kinds = new Uint8Array(count);
  for (let entry = 0; entry < count; entry++) {
    if (bases[entry] === outsideBase) kinds[entry] = 3;
    else if (types[entry] === packType.nameDelta) kinds[entry] = 2;
    else if (types[entry] === packType.offsetDelta) kinds[entry] = 1;
  }
  return kinds;
}

function packFindings(summary: PackSummary): Finding[] {
  const findings: Finding[] = [];
  const { outsideBases, codings, packBytes, deepest, costliestChains } = summary;
  if (outsideBases > 0) {
    findings.push({
      severity: 'info',
      message: l10n.t('It is thin: the bases of {0} are not in it.', deltasInWords(outsideBases)),
      nextStep: l10n.t('Unpack it into a repository that has them.'),
    });
  }
  const depth = deepest.at(0)?.depth ?? 0;
  if (depth > longChain) {
    findings.push({
      severity: 'info',
      message: l10n.t('Chains are up to {0} deep: building such an object applies all of them.', deltasInWords(depth)),
      nextStep: l10n.t('Run "git repack -adf --depth=50" on a copy, and compare.'),
    });
  }
  const stored = 'stored' in codings ? codings.stored.packedBytes : 0;
  if (stored > notableBytes && stored > packBytes / 2) {
    findings.push({
      severity: 'info',
      message: l10n.t(
        '{0} of its bytes are not compressed, because they would hardly get fewer.',
        percentInWords(stored, packBytes),
      ),
    });
  }
  const costly = costliestChains.at(0);
  if (costly !== undefined && costly.chainSize > notableBytes && costly.chainSize > 4 * costly.objectSize) {
    findings.push({
      severity: 'warning',
      message: l10n.t(
        'To build object {0}, {1} are read for {2}.',
        costly.name.slice(0, 12),
        bytesInWords(costly.chainSize),
        bytesInWords(costly.objectSize),
      ),
      nextStep: l10n.t('Run "git repack -adf" on a copy, and compare.'),
    });
  }
  return findings;
}

function figuresOf(summary: PackSummary): ReportFigure[] {
  const { objects, packBytes, objectBytes, whole, kinds } = summary;
  const byKind = Object.entries(kinds).map(([kind, { objects: of }]) => kindInWords(of, kind));
  return [
    { label: l10n.t('Objects'), value: numberInWords(objects), description: `${byKind.join(', ')}.` },
    { label: l10n.t('On disk'), value: bytesInWords(packBytes), description: l10n.t('Bytes of the pack.') },
    {
      label: l10n.t('Objects unpacked'),
      value: bytesInWords(objectBytes),
      description: l10n.t('What all objects take when they are built.'),
    },
    {
      label: l10n.t('Stored as'),
      value: percentInWords(packBytes, objectBytes),
      description: l10n.t('Bytes of the pack for the bytes of the objects.'),
    },
    {
      label: l10n.t('Deepest chain'),
      value: deltasInWords(summary.deepest.at(0)?.depth ?? 0),
      description: l10n.t('How many deltas are applied, at most, to build an object.'),
    },
    {
      label: l10n.t('Usual chain'),
      value: l10n.t('{0} deltas', decimalInWords(summary.meanDepth, 1)),
      description: l10n.t('How many deltas are applied to build an object, on average.'),
    },
    {
      label: l10n.t('Stored whole'),
      value: objectsInWords(whole),
      description: l10n.t('{0} of the objects are no deltas.', percentInWords(whole, objects)),
    },
  ];
}

/** How many objects there are of a kind. */
function kindInWords(count: number, kind: string): string {
  const of = numberInWords(count);
  switch (kind) {
    case 'commit':
      return count === 1 ? l10n.t('1 commit') : l10n.t('{0} commits', of);
    case 'tree':
      return count === 1 ? l10n.t('1 tree') : l10n.t('{0} trees', of);
    case 'blob':
      return count === 1 ? l10n.t('1 blob') : l10n.t('{0} blobs', of);
    default:
      return count === 1 ? l10n.t('1 tag') : l10n.t('{0} tags', of);
  }
}

const sent = { from: 'values' } as const;

function tableColumns({ format }: PackColumns): ReportColumn[] {
  return [
    {
      key: 'entry',
      label: l10n.t('Entry'),
      description: l10n.t('Place in the pack.'),
      format: 'row',
      source: { from: 'row' },
    },
    {
      key: 'name',
      label: l10n.t('Object'),
      description: l10n.t('Name of the object.'),
      format: 'name',
      source: { from: 'names', width: format === 'sha1' ? 20 : 32 },
    },
    {
      key: 'kind',
      label: l10n.t('Kind'),
      description: l10n.t('Commit, tree, blob or tag.'),
      format: 'choice',
      choices: kindNames,
      source: sent,
    },
    {
      key: 'delta',
      label: l10n.t('Stored'),
      description: l10n.t('Whole, or as a delta that names its base by offset or by name.'),
      format: 'choice',
      choices: deltaKinds,
      source: sent,
    },
    { key: 'size', label: l10n.t('Size'), description: l10n.t('Bytes of the object.'), format: 'bytes', source: sent },
    {
      key: 'inflated',
      label: l10n.t('Inflated'),
      description: l10n.t('Bytes of the entry inflated: of the object, or of the delta.'),
      format: 'bytes',
      source: sent,
    },
    {
      key: 'packed',
      label: l10n.t('In pack'),
      description: l10n.t('Bytes of the entry in the pack.'),
      format: 'bytes',
      source: sent,
    },
    {
      key: 'ratio',
      label: l10n.t('Ratio'),
      description: l10n.t('Bytes in the pack for a byte of the object.'),
      format: 'ratio',
      source: { from: 'ratio', part: 'packed', whole: 'size', ofNothing: 'part' },
    },
    {
      key: 'depth',
      label: l10n.t('Depth'),
      description: l10n.t('How many deltas are applied.'),
      format: 'number',
      source: sent,
    },
    {
      key: 'base',
      label: l10n.t('Base'),
      description: l10n.t(
        'The entry that the delta is applied to; {0} for none, {1} for one elsewhere.',
        noBase,
        outsideBase,
      ),
      format: 'row',
      source: sent,
    },
    {
      key: 'chainsize',
      label: l10n.t('Chain size'),
      description: l10n.t('Bytes of the pack that are read to build the object.'),
      format: 'bytes',
      source: sent,
    },
    {
      key: 'chainratio',
      label: l10n.t('Chain ratio'),
      description: l10n.t('Those bytes for a byte of the object.'),
      format: 'ratio',
      source: { from: 'ratio', part: 'chainsize', whole: 'size', ofNothing: 'part' },
    },
    {
      key: 'offset',
      label: l10n.t('Offset'),
      description: l10n.t('Where the entry begins.'),
      format: 'number',
      source: sent,
    },
    {
      key: 'coding',
      label: l10n.t('Coding'),
      description: l10n.t('How the first deflate block is coded; stored is not compressed.'),
      format: 'choice',
      choices: blockCodings,
      source: sent,
    },
  ];
}
