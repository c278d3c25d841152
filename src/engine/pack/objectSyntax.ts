import { packType, type ObjectKind } from './objectKind';
import { nameOfHex, type ObjectFormat } from './objectFormat';

/** Called for each object that another names: 20 or 32 bytes at `at`, and the kind it must have, 0 where any will do. */
export type OnLink = (names: Uint8Array, at: number, kind: ObjectKind | 0) => void;

/**
 * Checks the form of an object and finds what it links to, as `git help fsck` describes ("FSCK MESSAGES"), of which the
 * identifiers are.
 * @returns the identifier of the first fault, such as `treeNotSorted`, or undefined when the object is sound.
 */
export function checkObjectSyntax(
  kind: ObjectKind,
  content: Uint8Array,
  format: ObjectFormat,
  onLink: OnLink,
): string | undefined {
  if (kind === packType.tree) return checkTree(content, format, onLink);
  if (kind === packType.commit) return checkCommit(content, format, onLink);
  if (kind === packType.tag) return checkTag(content, format, onLink);
  return undefined;
}

const modes = new Map<string, ObjectKind | 0 | undefined>([
  ['40000', packType.tree],
  ['100644', packType.blob],
  ['100755', packType.blob],
  ['100664', packType.blob],
  ['120000', packType.blob],
  // A submodule's commit is in another repository.
  ['160000', undefined],
]);

const submodule = '160000';

/** Entries of `mode name\0` and a raw object name, in the order of their names. */
function checkTree(tree: Uint8Array, format: ObjectFormat, onLink: OnLink): string | undefined {
  const seen = new Set<string>();
  let previous = '';
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const end = space < 0 ? -1 : tree.indexOf(0, space);
    if (end < 0 || end + 1 + format.nameLength > tree.length) return 'badTree';
    const mode = latin1(tree, at, space);
    const name = latin1(tree, space + 1, end);
    if (!/^[0-7]+$/.test(mode)) return 'badTree';
    if (mode.startsWith('0')) return 'zeroPaddedFilemode';
    if (!modes.has(mode)) return 'badFilemode';
    const fault = checkEntryName(name);
    if (fault !== undefined) return fault;
    // A folder sorts as if its name ended with a slash, so that its content lies where a flat listing has it.
    const key = mode === '40000' ? `${name}/` : name;
    if (key <= previous) return seen.has(name) ? 'duplicateEntries' : 'treeNotSorted';
    if (seen.has(name)) return 'duplicateEntries';
    seen.add(name);
    previous = key;
    if (isZero(tree, end + 1, format.nameLength)) return 'nullSha1';
    const kind = modes.get(mode);
    if (mode !== submodule && kind !== undefined) onLink(tree, end + 1, kind);
    at = end + 1 + format.nameLength;
  }
  return undefined;
}

/** Names that would leave the tree or reach into `.git` on one file system or another. */
function checkEntryName(name: string): string | undefined {
  if (name === '') return 'emptyName';
  if (name.includes('/')) return 'fullPathname';
  if (name === '.') return 'hasDot';
  if (name === '..') return 'hasDotdot';
  return isDotGit(name) ? 'hasDotgit' : undefined;
}

/** Code points that HFS+ ignores in names, as their UTF-8 bytes: U+200C-200F, U+202A-202E, U+206A-206F, U+FEFF. */
const ignoredByHfs = /\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf/g;

function isDotGit(name: string): boolean {
  const plain = name.replace(ignoredByHfs, '').toLowerCase();
  // NTFS drops dots and blanks at the end, knows a short name, and takes what follows a colon for a stream.
  return /^(\.git|git~1)[ .]*(:.*|\\.*)?$/.test(plain);
}

const identity = /^[^<>\n]*<[^<>\n]*> (0|[1-9]\d*) [+-]\d{4}$/;

function checkCommit(commit: Uint8Array, format: ObjectFormat, onLink: OnLink): string | undefined {
  const lines = new HeaderLines(commit);
  if (lines.hasNul) return 'nulInHeader';
  const tree = lines.take('tree');
  if (tree === undefined) return 'missingTree';
  if (!link(tree, format, packType.tree, onLink)) return 'badTreeSha1';
  for (let parent = lines.take('parent'); parent !== undefined; parent = lines.take('parent')) {
    if (!link(parent, format, packType.commit, onLink)) return 'badParentSha1';
  }
  const author = lines.take('author');
  if (author === undefined) return 'missingAuthor';
  if (!identity.test(author)) return identityFault(author);
  if (lines.next('author')) return 'multipleAuthors';
  const committer = lines.take('committer');
  if (committer === undefined) return 'missingCommitter';
  return identity.test(committer) ? undefined : identityFault(committer);
}

function checkTag(tag: Uint8Array, format: ObjectFormat, onLink: OnLink): string | undefined {
  const lines = new HeaderLines(tag);
  if (lines.hasNul) return 'nulInHeader';
  const object = lines.take('object');
  if (object === undefined) return 'missingObject';
  const type = lines.take('type');
  const kind = { commit: 1, tree: 2, blob: 3, tag: 4 }[type ?? ''] as ObjectKind | undefined;
  if (!link(object, format, kind ?? 0, onLink)) return 'badObjectSha1';
  if (type === undefined) return 'missingTypeEntry';
  if (kind === undefined) return 'badType';
  if (lines.take('tag') === undefined) return 'missingTagEntry';
  // Tags of the first years have no tagger.
  const tagger = lines.take('tagger');
  return tagger === undefined || identity.test(tagger) ? undefined : identityFault(tagger);
}

function identityFault(line: string): string {
  if (!line.includes('<')) return 'missingEmail';
  if (!/<[^<>]*>/.test(line)) return 'badEmail';
  if (!line.includes('> ')) return 'missingSpaceBeforeDate';
  return /> 0\d/.test(line) ? 'zeroPaddedDate' : /> \d+$/.test(line) ? 'badTimezone' : 'badDate';
}

function link(hex: string, format: ObjectFormat, kind: ObjectKind | 0, onLink: OnLink): boolean {
  const name = nameOfHex(format, hex);
  if (name === undefined) return false;
  onLink(name, 0, kind);
  return true;
}

/** The lines before the first empty one, taken one after the other. */
class HeaderLines {
  readonly hasNul: boolean;
  private readonly lines: string[];
  private at = 0;

  constructor(content: Uint8Array) {
    const text = Buffer.from(content.buffer, content.byteOffset, content.length);
    const end = text.indexOf('\n\n');
    const header = text.subarray(0, end < 0 ? text.length : end);
    this.hasNul = header.includes(0);
    this.lines = header.toString('latin1').split('\n');
  }

  /** The value of the next line, if it is of this key. */
  take(key: string): string | undefined {
    return this.next(key) ? this.lines[this.at++].slice(key.length + 1) : undefined;
  }

  next(key: string): boolean {
    return this.at < this.lines.length && this.lines[this.at].startsWith(`${key} `);
  }
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
  return text;
}

function isZero(bytes: Uint8Array, at: number, length: number): boolean {
  for (let byte = 0; byte < length; byte++) if (bytes[at + byte] !== 0) return false;
  return true;
}
