import * as l10n from '@vscode/l10n';
import { closeSync, existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { corruptError } from '../io/errors';
import { hexName, type ObjectFormat } from './objectFormat';
import { readPackedObject, type OpenPack } from './packedObject';
import { PackIndex } from './packIndex';
import { openForReading } from './packSource';
import type { ReadingLimits } from './inflateContent';
import { readLooseObject, type StoredObject } from './storedObject';

const deepestAlternates = 5;
const deepestOutside = 16;

/** A pack of a folder, with its index. */
interface IndexedPack extends OpenPack {
  index: PackIndex;
  freshened: boolean;
}

/** The objects of one folder: loose ones and packs. */
class ObjectFolder {
  private packs: IndexedPack[] | undefined;
  private readonly fanout: Set<string>;

  constructor(
    readonly path: string,
    private readonly format: ObjectFormat,
  ) {
    // Without a folder for the first byte there is nothing to look for: a new repository is asked nothing.
    this.fanout = new Set(namesIn(path).filter((name) => /^[0-9a-f]{2}$/.test(name)));
  }

  /** Where the object's loose file is, or undefined. */
  loose(hex: string): string | undefined {
    if (!this.fanout.has(hex.slice(0, 2))) return undefined;
    const path = join(this.path, hex.slice(0, 2), hex.slice(2));
    return existsSync(path) ? path : undefined;
  }

  /** The pack that has the object, and where; the pack that had the last one is asked first. */
  packed(name: Uint8Array): { pack: IndexedPack; offset: number } | undefined {
    this.packs ??= this.openPacks();
    for (let at = 0; at < this.packs.length; at++) {
      const pack = this.packs[at];
      const offset = pack.index.find(name);
      if (offset < 0) continue;
      if (at > 0) this.packs.unshift(...this.packs.splice(at, 1));
      return { pack, offset };
    }
    return undefined;
  }

  close(): void {
    for (const pack of this.packs ?? []) {
      pack.index[Symbol.dispose]();
      if (pack.file >= 0) closeSync(pack.file);
    }
    this.packs = undefined;
  }

  private openPacks(): IndexedPack[] {
    const folder = join(this.path, 'pack');
    const names = namesIn(folder);
    const present = new Set(names);
    return names
      .filter((name) => name.endsWith('.idx') && present.has(name.replace(/idx$/, 'pack')))
      .map((name) => {
        const index = new PackIndex(join(folder, name), this.format);
        return {
          index,
          file: -1,
          path: join(folder, name.replace(/idx$/, 'pack')),
          nameLength: this.format.nameLength,
          count: index.count,
          find: (wanted) => index.find(wanted),
          freshened: false,
        };
      });
  }
}

/**
 * The objects that a repository has: its own folder and those of its alternates (`git help gitrepository-layout`), loose
 * and packed.
 */
export class ObjectStore implements Disposable {
  private readonly folders: ObjectFolder[] = [];

  constructor(
    objects: string,
    private readonly format: ObjectFormat,
  ) {
    this.addFolder(objects, 0);
  }

  has(name: Uint8Array): boolean {
    const hex = hexName(name);
    return this.folders.some((folder) => folder.packed(name) !== undefined || folder.loose(hex) !== undefined);
  }

  /**
   * Whether the object is here already and was marked as new: pruning looks at the age of files, and an object that
   * somebody just sent must not be taken for garbage. False also when it cannot be marked; write it then.
   */
  freshen(name: Uint8Array): boolean {
    const hex = hexName(name);
    return this.folders.some((folder) => {
      const pack = folder.packed(name)?.pack;
      if (pack !== undefined) return (pack.freshened ||= touch(pack.path));
      const loose = folder.loose(hex);
      return loose !== undefined && touch(loose);
    });
  }

  /** The object of this name, or undefined when the repository does not have it. @throws `corrupt` when it is damaged. */
  async read(name: Uint8Array, limits: ReadingLimits, depth = 0): Promise<StoredObject | undefined> {
    const hex = hexName(name);
    // A pack of a repository has its own bases: a few steps from pack to pack are a kindness, many a circle.
    if (depth > deepestOutside) throw corruptError(l10n.t('The object {0} is built on itself.', hex), { subject: hex });
    for (const folder of this.folders) {
      const found = folder.packed(name);
      if (found !== undefined) {
        const { pack, offset } = found;
        if (pack.file < 0) pack.file = openForReading(pack.path);
        return readPackedObject(pack, offset, limits, (base) => this.read(base, limits, depth + 1));
      }
      const loose = folder.loose(hex);
      if (loose === undefined) continue;
      const file = openForReading(loose);
      try {
        return await readLooseObject(file, loose, limits);
      } finally {
        closeSync(file);
      }
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    for (const folder of this.folders) folder.close();
  }

  private addFolder(path: string, depth: number): void {
    if (this.folders.some((folder) => folder.path === path)) return;
    this.folders.push(new ObjectFolder(path, this.format));
    if (depth === deepestAlternates) return;
    for (const alternate of alternatesOf(path)) this.addFolder(alternate, depth + 1);
  }
}

/** The folders that `info/alternates` names, one a line; relative ones from the object folder. */
function alternatesOf(objects: string): string[] {
  const list = join(objects, 'info', 'alternates');
  if (!existsSync(list)) return [];
  return readFileSync(list, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (line.startsWith('"') && line.endsWith('"') ? line.slice(1, -1).replace(/\\(["\\])/g, '$1') : line))
    .map((line) => (isAbsolute(line) ? line : join(objects, line)));
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function touch(path: string): boolean {
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return true;
  } catch {
    return false;
  }
}
