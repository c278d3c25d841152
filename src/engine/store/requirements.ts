import * as l10n from '@vscode/l10n';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { corruptError, unsupportedError } from '../io/errors';
import type { StoreLayout } from './pathEncoding';

/** What a repository demands of the programs that use it. */
export type Requirements = ReadonlySet<string>;

/** What somebody wants to do with a repository: some requirements only stand in the way of some of it. */
export type Purpose = 'read' | 'store' | 'checkout';

/** Requirements that concern the working copy; with `share-safe` these stay in `.hg` when the others move to the store. */
const ofWorkingCopy = new Set([
  'share-safe',
  'shared',
  'relshared',
  'dirstate-v2',
  'dirstate-tracked-key-v1',
  'exp-sparse',
]);

/** Every requirement that this engine reads and writes. */
const known = new Set([
  ...['revlogv1', 'store', 'fncache', 'dotencode', 'generaldelta', 'sparserevlog', 'revlog-compression-zstd'],
  ...['persistent-nodemap', 'share-safe', 'bookmarksinstore', 'internal-phase', 'exp-archived-phase'],
  ...['exp-compression-none', 'exp-compression-zstd', 'shared', 'relshared'],
]);

/** Known by name, and not by this engine: why, in the words that people use. */
const refused = (): ReadonlyMap<string, string> =>
  new Map([
    ['treemanifest', l10n.t('stores a manifest for each folder (tree manifests)')],
    ['narrowhg-experimental', l10n.t('holds only part of the files of its history (narrow clone)')],
    ['lfs', l10n.t('keeps large files outside its history (LFS)')],
    ['largefiles', l10n.t('keeps large files outside its history (largefiles)')],
    ['exp-remotefilelog-repo-req-1', l10n.t('leaves the history of its files on the server (remotefilelog)')],
    ['exp-changelog-v2', l10n.t('has a changelog in an experimental format (changelog v2)')],
    ['exp-revlogv2.2', l10n.t('has revlogs in an experimental format (revlog v2)')],
    ['exp-copies-sidedata-changeset', l10n.t('records copies in an experimental format')],
    ['manifestv2', l10n.t('has manifests in a format that Mercurial gave up in 2018')],
    ['parentdelta', l10n.t('has revlogs in a format that Mercurial gave up in 2011')],
    ['git', l10n.t('keeps its history in a Git repository')],
  ]);

/** Of no concern to the store, but in the way of writing files and dirstate. */
const refusedForCheckout = (): ReadonlyMap<string, string> =>
  new Map([
    ['dirstate-v2', l10n.t('records the state of its working copy in the dirstate-v2 format')],
    ['dirstate-tracked-key-v1', l10n.t('wants a hint about tracked files beside its dirstate')],
    ['exp-sparse', l10n.t('shows only part of its files in its working copy (sparse)')],
  ]);

const name = /^[A-Za-z0-9][\x21-\x7e]*$/;

/** Parses a `requires` file: one name a line. @throws `corrupt` for a line that is no name. */
export function parseRequirements(text: string, subject = 'requires'): Set<string> {
  const names = text.split('\n').filter((line) => line !== '');
  for (const line of names) {
    if (!name.test(line)) {
      throw corruptError(
        l10n.t('{0} holds {1}, which is no requirement.', subject, JSON.stringify(line.slice(0, 60))),
        {
          subject,
        },
      );
    }
  }
  return new Set(names);
}

/** The content of a `requires` file, in the order that Mercurial keeps: sorted, one name a line. */
export function formatRequirements(names: Iterable<string>): string {
  return [...names]
    .sort()
    .map((requirement) => `${requirement}\n`)
    .join('');
}

/**
 * Reads the requirements of a repository from `.hg/requires` and, where that names `share-safe`, from the store's.
 *
 * @param hgFolder the repository's `.hg`
 * @throws `corrupt` when a file is none; the file system's own error when it cannot be read
 */
export function readRequirements(hgFolder: string, storeFolder = join(hgFolder, 'store')): Set<string> {
  const requirements = readNames(join(hgFolder, 'requires'));
  if (!requirements.has('share-safe')) return requirements;
  return new Set([...requirements, ...readNames(join(storeFolder, 'requires'))]);
}

/** Writes `.hg/requires` and, with `share-safe`, the store's own, as Mercurial divides them. */
export function writeRequirements(hgFolder: string, requirements: Requirements): void {
  const all = [...requirements];
  const shareSafe = requirements.has('share-safe');
  const outside = shareSafe ? all.filter((requirement) => ofWorkingCopy.has(requirement)) : all;
  writeFileSync(join(hgFolder, 'requires'), formatRequirements(outside));
  if (!shareSafe) return;
  const inside = all.filter((requirement) => !ofWorkingCopy.has(requirement));
  writeFileSync(join(hgFolder, 'store', 'requires'), formatRequirements(inside));
}

/**
 * Refuses what this engine cannot work with.
 *
 * @param whose for the sentence: `the server's repository`
 * @throws `unsupported` whose subject is the requirement
 */
export function checkRequirements(requirements: Iterable<string>, purpose: Purpose, whose: string): void {
  for (const requirement of requirements) {
    const why =
      refused().get(requirement) ?? (purpose === 'checkout' ? refusedForCheckout().get(requirement) : undefined);
    if (why !== undefined) {
      throw unsupportedError(
        l10n.t('Deltascope cannot work with {0}: it {1}. The requirement is "{2}".', whose, why, requirement),
        {
          subject: requirement,
          advice: l10n.t('Use Mercurial itself for this repository.'),
        },
      );
    }
    if (known.has(requirement) || refusedForCheckout().has(requirement)) continue;
    throw unsupportedError(
      l10n.t('Deltascope cannot work with {0}: it needs "{1}", which Deltascope does not know.', whose, requirement),
      {
        subject: requirement,
        advice: l10n.t('The repository was made by a newer Mercurial, or needs an extension.'),
      },
    );
  }
}

/**
 * The requirements of a new repository that receives a stream: the layout is ours to choose, the form of the revlogs is
 * the sender's. Gives what `hg clone --stream` leaves.
 *
 * @throws `unsupported` naming what cannot be received
 */
export function requirementsOfClone(streamed: Iterable<string>): Set<string> {
  const requirements = new Set(streamed);
  checkRequirements(requirements, 'store', l10n.t("the server's repository"));
  for (const ours of ['store', 'fncache', 'dotencode', 'share-safe']) requirements.add(ours);
  for (const theirs of ['shared', 'relshared', ...refusedForCheckout().keys()]) requirements.delete(theirs);
  return requirements;
}

/**
 * How the store names its files.
 * @throws `unsupported` for repositories from before stores
 */
export function storeLayout(requirements: Requirements): StoreLayout {
  if (!requirements.has('store')) {
    throw unsupportedError(l10n.t('The repository has a layout from before 2007, without a store.'), {
      subject: 'store',
      advice: l10n.t('Convert it with a clone by Mercurial itself: hg clone --pull.'),
    });
  }
  if (!requirements.has('fncache')) return 'store';
  return requirements.has('dotencode') ? 'dotencode' : 'fncache';
}

function readNames(path: string): Set<string> {
  return parseRequirements(readFileSync(path, 'latin1'), path);
}
