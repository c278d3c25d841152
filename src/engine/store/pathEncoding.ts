import { createHash } from 'node:crypto';

/** How a store names its files on disk: what `requires` says of `store`, `fncache` and `dotencode`. */
export type StoreLayout = 'store' | 'fncache' | 'dotencode';

/** Names that would be longer than this, `data/` included, are hashed. */
const longestName = 120;
/** How much of each folder's name a hashed name keeps, and how much of all of them together. */
const shortFolder = 8;
const shortFolders = 68;

const reserved = new Set([
  ...['con', 'prn', 'aux', 'nul'],
  ...Array.from({ length: 9 }, (_, index) => `com${index + 1}`),
  ...Array.from({ length: 9 }, (_, index) => `lpt${index + 1}`),
]);

const encodedBytes = Array.from({ length: 256 }, (_, byte) => encodeByte(byte));
const hashedBytes = encodedBytes.map((encoded, byte) =>
  encoded.length === 2 ? String.fromCharCode(byte).toLowerCase() : encoded,
);

/** What is neither its own encoding nor harmless in every place: a name without it, and without dots, stays as it is. */
const needsEncoding = /[^ !#-)+-9;=@[\]^`a-{}]/;
const needsHashing = /[^ !#-)+-9;=@[\]^_`a-{}]/;

/**
 * The name that a store file has on disk, relative to the store: `data/A_b.i` becomes `data/_a__b.i`.
 *
 * Names are bytes, held as Latin-1 strings: one character for each byte, both in `name` and in the result.
 *
 * - every layout: a folder ending in `.hg`, `.i` or `.d` gets `.hg` added; upper case becomes `_` and lower case; `_` is
 *   doubled; control bytes, `\ : * ? " < > |`, `~` and what is above become `~` and two hexadecimal digits;
 * - `fncache`: the third letter of reserved Windows names and a dot or space at the end of a component are written that
 *   way too, and what comes out longer than 120 bytes is hashed (`dh/`);
 * - `dotencode`: so is a dot or space at the beginning of a component.
 *
 * @see `hg help internals.requirements`; the rules were checked against stores that Mercurial 6.3.2 wrote
 */
export function encodeStorePath(name: string, layout: StoreLayout = 'dotencode'): string {
  const foldered = encodeFolders(name);
  const encoded = needsEncoding.test(foldered) ? encodeBytes(foldered, encodedBytes) : foldered;
  if (layout === 'store') return encoded;
  const portable = encodeComponents(encoded, layout);
  return portable.length <= longestName ? portable : hashName(foldered, layout);
}

/** Adds `.hg` to the folders of a name that could be taken for a revlog or a repository: the form that fncache holds. */
export function encodeFolders(name: string): string {
  return name.includes('.i/') || name.includes('.d/') || name.includes('.hg/')
    ? name.replace(/\.(hg|i|d)\//g, '.$1.hg/')
    : name;
}

/** The reverse of {@link encodeFolders}: fncache and legacy streams hold that form. */
export function decodeFolders(name: string): string {
  return name.includes('.hg/') ? name.replace(/\.(hg|i|d)\.hg\//g, '.$1/') : name;
}

/**
 * The reverse of {@link encodeStorePath}, so that a store can be read without its fncache. Undefined for hashed names,
 * which cannot be turned back, and for names that the encoding never gives.
 */
export function decodeStorePath(path: string, layout: StoreLayout = 'dotencode'): string | undefined {
  if (path.startsWith('dh/')) return undefined;
  const decoded = decodeFolders(path.replace(/_([_a-z])|~([0-9a-f]{2})/g, decodeMatch));
  return encodeStorePath(decoded, layout) === path ? decoded : undefined;
}

function decodeMatch(_: string, letter: string | undefined, digits: string): string {
  return letter === undefined ? String.fromCharCode(parseInt(digits, 16)) : letter.toUpperCase();
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '_') return '__';
  if (character >= 'A' && character <= 'Z') return `_${character.toLowerCase()}`;
  return byte < 0x20 || byte >= 0x7e || '\\:*?"<>|'.includes(character) ? escapeByte(byte) : character;
}

function escapeByte(byte: number): string {
  return `~${byte.toString(16).padStart(2, '0')}`;
}

function encodeBytes(name: string, table: readonly string[]): string {
  let encoded = '';
  for (let at = 0; at < name.length; at++) encoded += table[name.charCodeAt(at)];
  return encoded;
}

/** Finds out with one expression for the whole name whether a component has to be looked at: few names have one. */
const awkwardComponent = /(?:^|\/)(?:[. ]|(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:[./]|$))|[. ](?:\/|$)/;

function encodeComponents(path: string, layout: StoreLayout): string {
  if (!awkwardComponent.test(path)) return path;
  return path
    .split('/')
    .map((component) => encodeComponent(component, layout))
    .join('/');
}

function encodeComponent(component: string, layout: StoreLayout): string {
  if (component === '') return component;
  let encoded = component;
  if (layout === 'dotencode' && (encoded.startsWith('.') || encoded.startsWith(' '))) {
    encoded = escapeByte(encoded.charCodeAt(0)) + encoded.slice(1);
  } else {
    const dot = encoded.indexOf('.');
    if (reserved.has(dot < 0 ? encoded : encoded.slice(0, dot))) {
      encoded = encoded.slice(0, 2) + escapeByte(encoded.charCodeAt(2)) + encoded.slice(3);
    }
  }
  return encoded.endsWith('.') || encoded.endsWith(' ')
    ? encoded.slice(0, -1) + escapeByte(encoded.charCodeAt(encoded.length - 1))
    : encoded;
}

/**
 * A long name: `dh/`, the beginnings of its folders, as much of the file's name as there is room for, the SHA-1 of the
 * whole, and the extension.
 */
function hashName(foldered: string, layout: StoreLayout): string {
  const digest = createHash('sha1').update(foldered, 'latin1').digest('hex');
  const inside = foldered.slice('data/'.length);
  const lowered = needsHashing.test(inside) ? encodeBytes(inside, hashedBytes) : inside;
  const components = encodeComponents(lowered, layout).split('/');
  const file = components.pop() ?? '';
  const start = `dh/${shortenFolders(components)}`;
  const end = digest + extension(file);
  const room = Math.max(0, longestName - start.length - end.length);
  return start + file.slice(0, room) + end;
}

function shortenFolders(components: readonly string[]): string {
  let joined = '';
  for (const component of components) {
    const beginning = component.slice(0, shortFolder);
    const short = /[. ]$/.test(beginning) ? `${beginning.slice(0, -1)}_` : beginning;
    if (joined.length + short.length > shortFolders) break;
    joined += `${short}/`;
  }
  return joined;
}

function extension(file: string): string {
  const dot = file.lastIndexOf('.');
  return dot < 0 || /^\.*$/.test(file.slice(0, dot)) ? '' : file.slice(dot);
}
