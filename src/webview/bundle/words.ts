import type { BundledHistory, BundleShown, ShownChangeset } from '../../protocol/bundlePage';
import { bytesInWords, numberInWords } from '../shared/words';

const kinds: Record<string, string | undefined> = {
  HG20: 'Bundle of version 2',
  HG10: 'Bundle of version 1',
  HGS1: 'Stream bundle of version 1',
};

/** What kind of bundle this is, and what it is compressed in, as a sentence. */
export function kindInWords({ kind, compression }: Pick<BundleShown, 'kind' | 'compression'>): string {
  const how = compression === 'none' ? 'not compressed' : `compressed with ${compression}`;
  return `${kinds[kind] ?? 'Bundle'} (${kind}), ${how}.`;
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
    { label: 'On disk', value: bytesInWords(bytes), description: 'The size of the file.' },
    { label: 'Unpacked', value: bytesInWords(unpacked), description: 'Bytes of all parts after decompression.' },
  ];
  const count = (label: string, value: number | undefined, description: string) => {
    if (value !== undefined && value > 0) figures.push({ label, value: numberInWords(value), description });
  };
  count('Changesets', history?.changesets, 'Changesets in the changegroup.');
  count('Files', history?.files ?? stream?.files, 'Files whose histories the bundle holds.');
  count('File revisions', history?.fileRevisions, 'Revisions of those files.');
  count('Bookmarks', bookmarks.length, 'Bookmarks that the bundle sets.');
  count('Markers', markers, 'Obsolescence markers.');
  return figures;
}

/** What a part holds, in words. */
export function partInWords(type: string, { history, stream, bookmarks, markers }: BundleShown): string {
  if (type === 'changegroup' && history !== undefined) return historyInWords(history);
  if ((type === 'stream2' || type === 'stream') && stream !== undefined) {
    return `${numberInWords(stream.files)} store files of ${bytesInWords(stream.bytes)}`;
  }
  if (type === 'bookmarks') return `${numberInWords(bookmarks.length)} bookmarks`;
  if (type === 'obsmarkers') return `${numberInWords(markers)} obsolescence markers`;
  return partMeanings[type] ?? '';
}

const partMeanings: Record<string, string | undefined> = {
  'phase-heads': 'phases of the changesets',
  hgtagsfnodes: 'a cache of the files with tags',
  'cache:rev-branch-cache': 'a cache of branch names',
  listkeys: 'keys of a namespace',
};

function historyInWords({ changesets, manifests, files, fileRevisions }: BundledHistory): string {
  return [
    `${numberInWords(changesets)} changesets`,
    `${numberInWords(manifests)} manifests`,
    `${numberInWords(fileRevisions)} revisions of ${numberInWords(files)} files`,
  ].join(', ');
}

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
