import { basename } from 'node:path';
import type { ChainReport, ReportColumn, ReportFigure, ReportSubject } from '../../protocol/chainReport';
import type { Operation } from '../io/operation';
import { kindNames, packType } from '../pack/objectKind';
import { blockCodings, noBase, outsideBase, type PackColumns } from '../pack/packColumns';
import { summarizePack, type PackSummary } from '../pack/packSummary';
import { readPackColumns } from '../pack/readPackColumns';
import { bySeverity, type Finding } from '../survey/finding';
import { bytesInWords, countInWords, percentInWords } from '../survey/words';
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
      message: `It is thin: the bases of ${countInWords(outsideBases, 'delta')} are not in it.`,
      nextStep: 'Unpack it into a repository that has them.',
    });
  }
  const depth = deepest.at(0)?.depth ?? 0;
  if (depth > longChain) {
    findings.push({
      severity: 'info',
      message: `Chains are up to ${countInWords(depth, 'delta')} deep: building such an object applies all of them.`,
      nextStep: 'Run "git repack -adf --depth=50" on a copy, and compare.',
    });
  }
  const stored = 'stored' in codings ? codings.stored.packedBytes : 0;
  if (stored > notableBytes && stored > packBytes / 2) {
    findings.push({
      severity: 'info',
      message: `${percentInWords(stored, packBytes)} of its bytes are not compressed, because they would hardly get fewer.`,
    });
  }
  const costly = costliestChains.at(0);
  if (costly !== undefined && costly.chainSize > notableBytes && costly.chainSize > 4 * costly.objectSize) {
    findings.push({
      severity: 'warning',
      message:
        `To build object ${costly.name.slice(0, 12)}, ${bytesInWords(costly.chainSize)} are read for ` +
        `${bytesInWords(costly.objectSize)}.`,
      nextStep: 'Run "git repack -adf" on a copy, and compare.',
    });
  }
  return findings;
}

function figuresOf(summary: PackSummary): ReportFigure[] {
  const { objects, packBytes, objectBytes, whole, kinds } = summary;
  const byKind = Object.entries(kinds).map(([kind, { objects: of }]) => countInWords(of, kind));
  return [
    { label: 'Objects', value: countInWords(objects, '', '').trim(), description: `${byKind.join(', ')}.` },
    { label: 'On disk', value: bytesInWords(packBytes), description: 'Bytes of the pack.' },
    {
      label: 'Objects unpacked',
      value: bytesInWords(objectBytes),
      description: 'What all objects take when they are built.',
    },
    {
      label: 'Stored as',
      value: percentInWords(packBytes, objectBytes),
      description: 'Bytes of the pack for the bytes of the objects.',
    },
    {
      label: 'Deepest chain',
      value: countInWords(summary.deepest.at(0)?.depth ?? 0, 'delta'),
      description: 'How many deltas are applied, at most, to build an object.',
    },
    {
      label: 'Usual chain',
      value: `${summary.meanDepth.toFixed(1)} deltas`,
      description: 'How many deltas are applied to build an object, on average.',
    },
    {
      label: 'Stored whole',
      value: countInWords(whole, 'object'),
      description: `${percentInWords(whole, objects)} of the objects are no deltas.`,
    },
  ];
}

const sent = { from: 'values' } as const;

function tableColumns({ format }: PackColumns): ReportColumn[] {
  return [
    { key: 'entry', label: 'Entry', description: 'Place in the pack.', format: 'row', source: { from: 'row' } },
    {
      key: 'name',
      label: 'Object',
      description: 'Name of the object.',
      format: 'name',
      source: { from: 'names', width: format === 'sha1' ? 20 : 32 },
    },
    {
      key: 'kind',
      label: 'Kind',
      description: 'Commit, tree, blob or tag.',
      format: 'choice',
      choices: kindNames,
      source: sent,
    },
    {
      key: 'delta',
      label: 'Stored',
      description: 'Whole, or as a delta that names its base by offset or by name.',
      format: 'choice',
      choices: deltaKinds,
      source: sent,
    },
    { key: 'size', label: 'Size', description: 'Bytes of the object.', format: 'bytes', source: sent },
    {
      key: 'inflated',
      label: 'Inflated',
      description: 'Bytes of the entry inflated: of the object, or of the delta.',
      format: 'bytes',
      source: sent,
    },
    { key: 'packed', label: 'In pack', description: 'Bytes of the entry in the pack.', format: 'bytes', source: sent },
    {
      key: 'ratio',
      label: 'Ratio',
      description: 'Bytes in the pack for a byte of the object.',
      format: 'ratio',
      source: { from: 'ratio', part: 'packed', whole: 'size', ofNothing: 'part' },
    },
    { key: 'depth', label: 'Depth', description: 'How many deltas are applied.', format: 'number', source: sent },
    {
      key: 'base',
      label: 'Base',
      description: `The entry that the delta is applied to; ${noBase} for none, ${outsideBase} for one elsewhere.`,
      format: 'row',
      source: sent,
    },
    {
      key: 'chainsize',
      label: 'Chain size',
      description: 'Bytes of the pack that are read to build the object.',
      format: 'bytes',
      source: sent,
    },
    {
      key: 'chainratio',
      label: 'Chain ratio',
      description: 'Those bytes for a byte of the object.',
      format: 'ratio',
      source: { from: 'ratio', part: 'chainsize', whole: 'size', ofNothing: 'part' },
    },
    { key: 'offset', label: 'Offset', description: 'Where the entry begins.', format: 'number', source: sent },
    {
      key: 'coding',
      label: 'Coding',
      description: 'How the first deflate block is coded; stored is not compressed.',
      format: 'choice',
      choices: blockCodings,
      source: sent,
    },
  ];
}
