import * as l10n from '@vscode/l10n';
import { destinationError, unsupportedError } from '../io/errors';
import type { DeltaSettings } from '../revlog/policy/deltaSettings';
import type { Requirements } from '../store/requirements';

/** The ways to store a history that can be compared. */
export const policyNames = [
  'both-parents',
  'one-parent',
  'without-sparse',
  'short-chains',
  'long-chains',
  'zlib',
  'zlib-9',
  'zstd',
  'zstd-9',
  'zstd-19',
] as const;
export type PolicyName = (typeof policyNames)[number];

/** What is compared unless something else is asked for: the strongest levels take long. */
export const usualPolicies: readonly PolicyName[] = [
  'both-parents',
  'one-parent',
  'without-sparse',
  'short-chains',
  'long-chains',
  'zlib',
  'zstd',
  'zstd-9',
];

/** What a policy is, as a sentence for people. */
export const policyWords = (): Record<PolicyName, string> => ({
  'both-parents': l10n.t('The delta of a merge is made against both parents, and the smaller one is kept.'),
  'one-parent': l10n.t('The delta of a merge is made against one parent, the one stored last, where that will do.'),
  'without-sparse': l10n.t('No snapshots between whole texts, and zlib, as repositories were written in 2018.'),
  'short-chains': l10n.t('Chains of 100 deltas at most: texts are read faster, and more is stored.'),
  'long-chains': l10n.t('Chains as long as four times the text: less is stored, and texts are read slower.'),
  zlib: l10n.t('Both parents, compressed with zlib.'),
  'zlib-9': l10n.t('Both parents, compressed with zlib at its strongest.'),
  zstd: l10n.t('Both parents, compressed with zstd.'),
  'zstd-9': l10n.t('Both parents, compressed with zstd at level 9.'),
  'zstd-19': l10n.t('Both parents, compressed with zstd at level 19.'),
});

/**
 * What keeps new revisions to a policy, as a sentence: hg chooses their deltas by its own settings. Absent where those are
 * what it has anyway.
 */
export const policyKeeping = (): Partial<Record<PolicyName, string>> => ({
  'one-parent': l10n.t(
    'New revisions are chosen with both parents again, unless the repository’s hgrc sets storage.revlog.optimize-delta-parent-choice to no.',
  ),
  'without-sparse': l10n.t('New revisions are stored as the repository’s requirements say, with snapshots.'),
  'short-chains': l10n.t(
    'New revisions continue the chains without that limit, unless the repository’s hgrc sets format.maxchainlen to 100.',
  ),
  'long-chains': l10n.t('New revisions begin new chains sooner: hg has no setting for this.'),
  'zlib-9': l10n.t(
    'New revisions are compressed as before, unless the repository’s hgrc sets storage.revlog.zlib.level to 9.',
  ),
  'zstd-9': l10n.t(
    'New revisions are compressed as before, unless the repository’s hgrc sets storage.revlog.zstd.level to 9.',
  ),
  'zstd-19': l10n.t(
    'New revisions are compressed as before, unless the repository’s hgrc sets storage.revlog.zstd.level to 19.',
  ),
});

const shortChain = 100;
const longRatio = 4;

/** What a policy comes to for a repository whose own settings are these. */
export function policySettings(name: PolicyName, own: DeltaSettings): DeltaSettings {
  const both: DeltaSettings = { ...own, bothParents: true, reuse: 'judge' };
  switch (name) {
    case 'both-parents':
      return both;
    case 'one-parent':
      return { ...both, bothParents: false };
    case 'without-sparse':
      return {
        ...both,
        isSparse: false,
        comparesWhole: false,
        maxChainLength: undefined,
        maxSpanRatio: longRatio,
        engine: 'zlib',
        level: undefined,
      };
    case 'short-chains':
      return { ...both, maxChainLength: shortChain };
    case 'long-chains':
      return { ...both, maxChainLength: undefined, maxChainRatio: longRatio };
    case 'zlib':
      return { ...both, engine: 'zlib', level: undefined };
    case 'zlib-9':
      return { ...both, engine: 'zlib', level: 9 };
    case 'zstd':
      return { ...both, engine: 'zstd', level: undefined };
    case 'zstd-9':
      return { ...both, engine: 'zstd', level: 9 };
    case 'zstd-19':
      return { ...both, engine: 'zstd', level: 19 };
  }
}

/** The policy of this name. @throws `destination` when there is none */
export function parsePolicy(name: string): PolicyName {
  const found = policyNames.find((known) => known === name);
  if (found !== undefined) return found;
  throw destinationError(l10n.t('There is no policy "{0}".', name), {
    subject: name,
    advice: l10n.t('There are {0}.', policyNames.join(', ')),
  });
}

/**
 * Refuses a policy whose revlogs a program could not be sure to read, because the repository does not say that it needs
 * what they are made with.
 * @throws `unsupported` whose subject is the requirement
 */
export function checkWritable(name: PolicyName, settings: DeltaSettings, requirements: Requirements): void {
  const isDeclared = requirements.has('revlog-compression-zstd') || requirements.has('exp-compression-zstd');
  if (settings.engine !== 'zstd' || isDeclared) return;
  throw unsupportedError(
    l10n.t('The repository cannot be stored with the policy {0}: it is not one with zstd.', name),
    {
      subject: 'revlog-compression-zstd',
      advice: l10n.t('Run "hg debugupgraderepo --config format.revlog-compression=zstd --run" before.'),
    },
  );
}
