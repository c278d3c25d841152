import * as l10n from '@vscode/l10n';
import type {
  CompareReport,
  MergeGain,
  PolicyName,
  RevlogComparison,
  StoredWay,
  StoreShape,
} from '../../protocol/compareReport';
import { decimalInWords } from '../shared/words';

/** Bytes before and after, and what part of those before the change is: negative when they become fewer. */
export interface Change {
  before: number;
  after: number;
  change: number;
}

/** How a policy stores what was compared: a row of the tables. */
export interface PolicyRow {
  policy: PolicyName | 'as-is';
  title: string;
  words: string;
  isRecommended: boolean;
  /** Why the repository cannot be stored so. */
  unwritable?: string;
  store: Change;
  /** Absent where there are no manifests, or only manifests were compared. */
  manifests?: Change;
  /** Bytes of entries and of chunks. */
  indexBytes: number;
  chunkBytes: number;
  longestChain: number;
  meanChain: number;
  kinds: DeltaKinds;
}

/** How many texts are stored in which way. */
export type DeltaKinds = Pick<StoreShape, 'wholeTexts' | 'snapshots' | 'againstP1' | 'againstP2' | 'againstOthers'>;

/** What reading a history costs under a policy, in milliseconds, and how that compares with how it is stored now. */
export interface CostRow {
  policy: PolicyName | 'as-is';
  tip: number;
  random: number;
  /** 1 when reading takes as long as now. */
  slowness: number;
}

/** Chain lengths of all policies over the revisions of one history. */
export interface Curves {
  revisions: number[];
  lines: { policy: PolicyName | 'as-is'; lengths: number[] }[];
}

/** A row for how the store is now, and one for each policy. */
export function policyRows({ comparison, recommendation, policyWords }: CompareReport): PolicyRow[] {
  const { total, manifests, unwritable, revlogs } = comparison;
  const now = total['as-is'];
  if (now === undefined) return [];
  const hasManifests = manifests['as-is'] !== undefined && revlogs > 1 && comparison.selection !== 'manifest';
  const policies = Object.keys(total) as (keyof typeof total)[];
  return policies.flatMap((policy) => {
    const shape = total[policy];
    if (shape === undefined) return [];
    const own = manifests[policy];
    return {
      policy,
      title: titleOf(policy),
      words: policy === 'as-is' ? l10n.t('How it is stored now.') : policyWords[policy],
      isRecommended: policy === recommendation.policy,
      ...(policy === 'as-is' ? {} : { unwritable: unwritable[policy] }),
      store: changeOf(now, shape),
      ...(hasManifests && own !== undefined ? { manifests: changeOf(manifests['as-is'], own) } : {}),
      indexBytes: shape.indexBytes,
      chunkBytes: shape.chunkBytes,
      longestChain: shape.longestChain,
      meanChain: shape.revisions === 0 ? 0 : shape.chainLinks / shape.revisions,
      kinds: {
        wholeTexts: shape.wholeTexts,
        snapshots: shape.snapshots,
        againstP1: shape.againstP1,
        againstP2: shape.againstP2,
        againstOthers: shape.againstOthers,
      },
    };
  });
}

/** A policy as it is called in tables. */
export function titleOf(policy: PolicyName | 'as-is'): string {
  return policy === 'as-is' ? l10n.t('as it is') : policy;
}

/** The histories that costs and curves can be shown of, the manifest first: it is what is read most. */
export function shownHistories({ comparison }: CompareReport): RevlogComparison[] {
  const weight = ({ role }: RevlogComparison) => (role === 'manifest' ? 0 : role === 'tree' ? 1 : 2);
  return [...comparison.detailed].sort((one, other) => weight(one) - weight(other));
}

/** What reading a history costs; nothing where it was too large to be measured. */
export function costRows({ ways }: RevlogComparison): CostRow[] {
  const now = ways.find(({ policy }) => policy === 'as-is')?.cost;
  return ways.flatMap(({ policy, cost }) =>
    cost === undefined || now === undefined
      ? []
      : { policy, ...cost, slowness: now.random === 0 ? 1 : cost.random / now.random },
  );
}

/** The lines of all policies, over the last revision of each stretch that a point stands for. */
export function curvesOf({ ways }: RevlogComparison): Curves {
  const drawn = ways.filter((way): way is StoredWay & { curve: number[] } => way.curve !== undefined);
  const revisions = ways.at(0)?.shape.revisions ?? 0;
  const points = drawn.at(0)?.curve.length ?? 0;
  return {
    revisions: Array.from({ length: points }, (_, at) => Math.floor(((at + 1) * revisions) / points) - 1),
    lines: drawn.map(({ policy, curve }) => ({ policy, lengths: curve })),
  };
}

/** What can be seen in the curves. */
export function curvesInWords({ revisions, lines }: Curves): string {
  if (lines.length === 0) return l10n.t('No lines.');
  const longest = lines.map(({ policy, lengths }) => l10n.t('{0} up to {1}', titleOf(policy), Math.max(0, ...lengths)));
  return l10n.t('Lines of chain lengths over {0} revisions: {1}.', (revisions.at(-1) ?? -1) + 1, longest.join(', '));
}

/** What a merge is a delta against, as a word or two. */
export function baseInWords(base: number, { p1, p2 }: Pick<MergeGain, 'p1' | 'p2'>): string {
  if (base < 0) return l10n.t('stored whole');
  if (base === p1) return l10n.t('first parent {0}', base);
  return base === p2 ? l10n.t('second parent {0}', base) : l10n.t('revision {0}', base);
}

/** `−12.7 %`, `+3 %`, `0 %`. */
export function changeInWords(change: number): string {
  const percent = change * 100;
  const size = Math.abs(percent);
  const digits = size > 0 && size < 9.95 ? 1 : 0;
  if (size < 0.05) return '0 %';
  return `${percent < 0 ? '−' : '+'}${decimalInWords(size, digits)} %`;
}

function changeOf(before: StoreShape | undefined, after: StoreShape): Change {
  const bytes = ({ indexBytes, chunkBytes }: StoreShape) => indexBytes + chunkBytes;
  const old = before === undefined ? 0 : bytes(before);
  return { before: old, after: bytes(after), change: old === 0 ? 0 : bytes(after) / old - 1 };
}
