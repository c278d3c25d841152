import * as l10n from '@vscode/l10n';
import type { BundledHistory, BundleShown, ShownChangeset } from '../../protocol/bundlePage';
import { bytesInWords, numberInWords } from '../shared/words';

/** What kind of bundle this is, and what it is compressed in, as a sentence. */
export function kindInWords({ kind, compression }: Pick<BundleShown, 'kind' | 'compression'>): string {
  const name = kindName(kind);
  return compression === 'none'
    ? l10n.t('{0} ({1}), not compressed.', name, kind)
    : l10n.t('{0} ({1}), compressed with {2}.', name, kind, compression);
}

function kindName(kind: string): string {
  switch (kind) {
    case 'HG20':
      return l10n.t('Bundle of version 2');
    case 'HG10':
      return l10n.t('Bundle of version 1');
    case 'HGS1':
      return l10n.t('Stream bundle of version 1');
    default:
      return l10n.t('Bundle');
  }
}

/** A figure at the head of the page. */
export interface Figure {
  label: string;
  value: string;
  description: string;
}

/** The figures of a bundle: those that it has. */
export function figuresOf(contents: BundleShown): Figure[] {
  const { bytes, parts, history, stream, bookmarks, markers } = contents;
  const unpacked = parts.reduce((sum, part) => sum + part.bytes, 0);
  const figures: Figure[] = [
    { label: l10n.t('On disk'), value: bytesInWords(bytes), description: l10n.t('The size of the file.') },
    {
      label: l10n.t('Unpacked'),
      value: bytesInWords(unpacked),
      description: l10n.t('Bytes of all parts after decompression.'),
    },
  ];
  const count = (label: string, value: number | undefined, description: string) => {
    if (value !== undefined && value > 0) figures.push({ label, value: numberInWords(value), description });
  };
  count(l10n.t('Changesets'), history?.changesets, l10n.t('Changesets in the changegroup.'));
  count(l10n.t('Files'), history?.files ?? stream?.files, l10n.t('Files whose histories the bundle holds.'));
  count(l10n.t('File revisions'), history?.fileRevisions, l10n.t('Revisions of those files.'));
  count(l10n.t('Bookmarks'), bookmarks.length, l10n.t('Bookmarks that the bundle sets.'));
  count(l10n.t('Markers'), markers, l10n.t('Obsolescence markers.'));
  return figures;
}

/** What a part holds, in words. */
export function partInWords(type: string, { history, stream, bookmarks, markers }: BundleShown): string {
  if (type === 'changegroup' && history !== undefined) return historyInWords(history);
  if ((type === 'stream2' || type === 'stream') && stream !== undefined) {
    return l10n.t('{0} store files of {1}', numberInWords(stream.files), bytesInWords(stream.bytes));
  }
  switch (type) {
    case 'bookmarks':
      return bookmarks.length === 1 ? l10n.t('1 bookmark') : l10n.t('{0} bookmarks', numberInWords(bookmarks.length));
    case 'obsmarkers':
      return markers === 1
        ? l10n.t('1 obsolescence marker')
        : l10n.t('{0} obsolescence markers', numberInWords(markers));
    case 'phase-heads':
      return l10n.t('phases of the changesets');
    case 'hgtagsfnodes':
      return l10n.t('a cache of the files with tags');
    case 'cache:rev-branch-cache':
      return l10n.t('a cache of branch names');
    case 'listkeys':
      return l10n.t('keys of a namespace');
    default:
      return '';
  }
}

function historyInWords({ changesets, manifests, files, fileRevisions }: BundledHistory): string {
  const inFiles = files === 1 ? l10n.t('1 file') : l10n.t('{0} files', numberInWords(files));
  return [
    changesets === 1 ? l10n.t('1 changeset') : l10n.t('{0} changesets', numberInWords(changesets)),
    manifests === 1 ? l10n.t('1 manifest') : l10n.t('{0} manifests', numberInWords(manifests)),
    fileRevisions === 1
      ? l10n.t('1 revision of {0}', inFiles)
      : l10n.t('{0} revisions of {1}', numberInWords(fileRevisions), inFiles),
  ].join(', ');
}

/** As Mercurial itself calls them: its commands, and the filter here, know no other names. */
const phases: Record<number, string | undefined> = {
  0: 'public',
  1: 'draft',
  2: 'secret',
  32: 'archived',
  96: 'internal',
};

/** The name of a phase; empty where the bundle does not tell. */
export function phaseInWords(phase: number | undefined): string {
  return phase === undefined ? '' : (phases[phase] ?? String(phase));
}

/** Less of a node is more likely a number. */
const shortestPrefix = 4;

/** Whether a changeset has all of the words, in whatever case; of a node, its beginning. */
export function matches(changeset: ShownChangeset, filter: string): boolean {
  const { node, user, branch, description, phase } = changeset;
  const text = [user, branch, description, phaseInWords(phase)].join('\n').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word) || (word.length >= shortestPrefix && node.startsWith(word)));
}
