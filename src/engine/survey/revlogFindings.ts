import * as l10n from '@vscode/l10n';
import type { ChainColumns } from '../revlog/chainColumns';
import type { ChainSummary } from '../revlog/chainSummary';
import type { Fault, FaultKind } from '../revlog/indexFaults';
import type { WasteEstimate } from '../revlog/wasteEstimate';
import type { Finding } from './finding';
import { bytesInWords, numberInWords, percentInWords } from './words';

/** What findings about one revlog are made from. */
export interface RevlogFacts {
  /** As people know it: `changelog`, `manifest`, a path. */
  name: string;
  columns: ChainColumns;
  summary: ChainSummary;
  waste: WasteEstimate;
  faults: readonly Fault[];
  faultCounts: Partial<Record<FaultKind, number>>;
}

const longChain = 500;
/** Reading this many times a text's own bytes to build it is slow. */
const heavyRatio = 4;
const notableBytes = 1_000_000;
const notableText = 10_000;
const fewRevisions = 20;

const reDelta = () => l10n.t('Compare delta choices ("deltascope compare") to see what would be gained.');

/** Advice by what is wrong; damage to a store is Mercurial's to mend. */
function adviceFor(kind: FaultKind): string {
  switch (kind) {
    case 'pastEnd':
    case 'cutShort':
      return l10n.t('Run "hg recover" if a transaction was interrupted, then "hg verify".');
    case 'gap':
      return l10n.t('Run "hg verify".');
    case 'flags':
      return l10n.t('The repository may need an extension or a newer Mercurial.');
    case 'noChunks':
      return l10n.t('Restore the file from a backup, or clone again.');
    case 'changed':
      return l10n.t('Look again once nothing is writing to the repository.');
    case 'unreadable':
      return l10n.t('Check the file and its permissions.');
    case 'base':
    case 'parent':
    case 'length':
    case 'kind':
    case 'chunk':
    case 'hash':
      return l10n.t('Run "hg verify"; if it agrees, clone again or restore a backup.');
  }
}

/** What there is to say of one revlog: damage first, then what costs a lot, then what is good to know. */
export function revlogFindings(facts: RevlogFacts): Finding[] {
  return [...damageFindings(facts.name, facts.faults, facts.faultCounts), ...costFindings(facts)];
}

/** One finding for each fault, and one more where there are too many of a kind to name all. */
export function damageFindings(
  revlog: string,
  faults: readonly Fault[],
  counts: Partial<Record<FaultKind, number>>,
): Finding[] {
  const findings = faults.map(({ kind, rev, message }): Finding => {
    const severity = kind === 'changed' ? 'info' : kind === 'gap' || kind === 'flags' ? 'warning' : 'error';
    return { severity, revlog, rev, message, nextStep: adviceFor(kind) };
  });
  for (const [kind, count] of Object.entries(counts) as [FaultKind, number][]) {
    const more = count - faults.filter((fault) => fault.kind === kind).length;
    if (more <= 0) continue;
    const message =
      more === 1
        ? l10n.t('1 more revision has the same fault.')
        : l10n.t('{0} more revisions have the same fault.', numberInWords(more));
    findings.push({ severity: 'error', revlog, message, nextStep: adviceFor(kind) });
  }
  return findings;
}

function costFindings(facts: RevlogFacts): Finding[] {
  const { name: revlog, columns, summary, waste } = facts;
  const findings: Finding[] = [];
  const add = (severity: Finding['severity'], message: string, nextStep?: string) =>
    findings.push({ severity, revlog, message, nextStep });
  const { chunkBytes, longestChain, revisions } = summary;
  const saving = chunkBytes === 0 ? 0 : waste.total / chunkBytes;
  const isLong = longestChain >= longChain;
  if (waste.total >= notableBytes && saving >= 0.15) {
    const gain = [percentInWords(waste.total, chunkBytes), bytesInWords(waste.total), mainWaste(waste)];
    add(
      'warning',
      isLong
        ? l10n.t('{0}-link chains; writing its deltas again would probably save {1}, {2}: {3}.', longestChain, ...gain)
        : l10n.t('Writing its deltas again would probably save {0}, {1}: {2}.', ...gain),
      reDelta(),
    );
  } else if (isLong) {
    add(
      'info',
      l10n.t('Chains are up to {0} links long: building a text reads all of them.', numberInWords(longestChain)),
      reDelta(),
    );
  }
  const heavy = heaviestRead(columns);
  if (heavy !== undefined) {
    findings.push({
      severity: 'warning',
      revlog,
      rev: heavy.rev,
      message: l10n.t(
        'To build revision {0}, {1} are read for a text of {2}.',
        heavy.rev,
        bytesInWords(heavy.read),
        bytesInWords(heavy.text),
      ),
      nextStep: reDelta(),
    });
  }
  const wholes = summary.snapshots[0].revisions;
  if (
    revisions >= fewRevisions &&
    summary.wholeTexts.total >= notableBytes &&
    wholes > revisions / 2 &&
    revlog !== 'changelog'
  ) {
    add(
      'info',
      l10n.t(
        '{0} of its revisions are stored whole, {1} in all: deltas of such content are not smaller, as with archives and images.',
        percentInWords(wholes, revisions),
        bytesInWords(summary.wholeTexts.total),
      ),
      l10n.t('Consider keeping such files outside the history, with the lfs or largefiles extension.'),
    );
  }
  const stored = (summary.kinds?.stored?.bytes ?? 0) + (summary.kinds?.whole?.bytes ?? 0);
  if (stored >= notableBytes && stored > chunkBytes / 2) {
    add('info', l10n.t('{0} of its bytes are not compressed.', percentInWords(stored, chunkBytes)));
  }
  if (!columns.isGeneraldelta && !columns.isSparse && summary.merges > 0 && chunkBytes >= notableBytes) {
    add(
      'warning',
      l10n.t('Each delta is against the revision stored before it, whether or not that is related (no generaldelta).'),
      l10n.t('Run "hg debugupgraderepo --run", which brings generaldelta and sparse-revlog.'),
    );
  }
  return findings;
}

function mainWaste({ merges, snapshots, strangers }: WasteEstimate): string {
  if (merges >= snapshots && merges >= strangers) return l10n.t('deltas of merges are much larger than others');
  if (snapshots >= strangers) return l10n.t('more texts are stored whole than chains need');
  return l10n.t('many deltas are against revisions that are not related');
}

/** The revision whose text takes the most reading, for its size, when that is out of proportion. */
function heaviestRead(columns: ChainColumns): { rev: number; read: number; text: number } | undefined {
  const { count, chainSizes, sparse, textLengths } = columns;
  let worst = heavyRatio;
  let found: number | undefined;
  for (let rev = 0; rev < count; rev++) {
    if (textLengths[rev] < notableText) continue;
    const ratio = (sparse?.readSizes[rev] ?? chainSizes[rev]) / textLengths[rev];
    if (ratio <= worst) continue;
    worst = ratio;
    found = rev;
  }
  if (found === undefined) return undefined;
  return { rev: found, read: sparse?.readSizes[found] ?? chainSizes[found], text: textLengths[found] };
}
