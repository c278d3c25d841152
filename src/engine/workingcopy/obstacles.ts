import type { Manifest } from './manifest';

/** A reason why a file cannot stand in the working copy beside the others, on this system. */
export interface Obstacle {
  /** Bytes as Latin-1. */
  path: string;
  /**
   * `case`: another path differs in upper and lower case alone; `reserved`: the system keeps the name for itself;
   * `characters`: the name has characters that the system does not allow.
   */
  kind: 'case' | 'reserved' | 'characters';
  /** The other path, for `case`. */
  other?: string;
}

/** What the file system under a working copy is like. */
export interface FileSystemTraits {
  platform: NodeJS.Platform;
  caseInsensitive: boolean;
}

const reservedOnWindows = /^(?:con|prn|aux|nul|conin\$|conout\$|com[1-9]|lpt[1-9])(?:[. ].*)?$/i;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const forbiddenOnWindows = /[<>:"|?*\\\x00-\x1f]|[. ]$/;

/** The files that cannot be checked out on a file system like this one; at most `limit` of them. */
export function findObstacles(manifest: Manifest, traits: FileSystemTraits, limit = 100): Obstacle[] {
  const obstacles = traits.caseInsensitive ? findCaseCollisions(manifest, limit) : [];
  for (let index = 0; index < manifest.length && obstacles.length < limit; index++) {
    const path = manifest.path(index);
    const kind = forbiddenName(path, traits.platform);
    if (kind !== undefined) obstacles.push({ path, kind });
  }
  return obstacles;
}

function forbiddenName(path: string, platform: NodeJS.Platform): Obstacle['kind'] | undefined {
  if (platform === 'darwin') return isUtf8(path) ? undefined : 'characters';
  if (platform !== 'win32') return undefined;
  const components = path.split('/');
  if (components.some((component) => forbiddenOnWindows.test(component))) return 'characters';
  return components.some((component) => reservedOnWindows.test(component)) ? 'reserved' : undefined;
}

function isUtf8(path: string): boolean {
  if (!/[\x80-\xff]/.test(path)) return true;
  const bytes = Buffer.from(path, 'latin1');
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
}

/**
 * Pairs of files, or of a file and a folder, that are one where case (and the form of accents) does not count. Two
 * folders like that become one without harm.
 *
 * Holds a number for each file instead of its name, so that half a million files cost 4 MB; names are compared only where
 * numbers are equal.
 */
export function findCaseCollisions(manifest: Manifest, limit = 100): Obstacle[] {
  const hashes = new Float64Array(manifest.length);
  for (let index = 0; index < manifest.length; index++) hashes[index] = hashName(foldCase(manifest.path(index)));
  const suspects = repeated(hashes);
  for (const folder of foldersOf(manifest)) {
    const hash = hashName(foldCase(folder));
    if (includesSorted(suspects.sorted, hash)) suspects.hashes.add(hash);
  }
  return suspects.hashes.size === 0 ? [] : compareSuspects(manifest, hashes, suspects.hashes, limit);
}

/** Compares by name what has the same number. */
function compareSuspects(
  manifest: Manifest,
  hashes: Float64Array,
  suspects: ReadonlySet<number>,
  limit: number,
): Obstacle[] {
  const seen = new Map<string, string>();
  for (const folder of foldersOf(manifest)) {
    if (suspects.has(hashName(foldCase(folder)))) seen.set(foldCase(folder), folder);
  }
  const collisions: Obstacle[] = [];
  for (let index = 0; index < manifest.length && collisions.length < limit; index++) {
    if (!suspects.has(hashes[index])) continue;
    const path = manifest.path(index);
    const folded = foldCase(path);
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, path);
    else collisions.push({ path, kind: 'case', other });
  }
  return collisions;
}

function repeated(hashes: Float64Array): { sorted: Float64Array; hashes: Set<number> } {
  const sorted = hashes.slice().sort();
  const found = new Set<number>();
  for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) found.add(sorted[at]);
  return { sorted, hashes: found };
}

function includesSorted(sorted: Float64Array, wanted: number): boolean {
  let low = 0;
  for (let high = sorted.length - 1; low <= high;) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] === wanted) return true;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Every folder once: paths are sorted, so the folders that a path shares with the one before it have been seen. */
function* foldersOf(manifest: Manifest): Generator<string> {
  let previous = '';
  for (let index = 0; index < manifest.length; index++) {
    const path = manifest.path(index);
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      if (!previous.startsWith(path.slice(0, slash + 1))) yield path.slice(0, slash);
    }
    previous = path;
  }
}

/** A name as file systems that take no notice of case compare it. */
export function foldCase(path: string): string {
  if (!/[\x80-\xff]/.test(path)) return path.toLowerCase();
  // Upper case first: it brings together more, such as the two forms of the Greek sigma.
  return Buffer.from(path, 'latin1').toString('utf8').normalize('NFD').toUpperCase().toLowerCase();
}

/** 52 bits of a name, by two runs of FNV-1a. */
function hashName(name: string): number {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x01000197);
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}
