import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { ContentFile, contentSize, type Content } from './content';
import { applyDelta, DeltaFault, readDeltaSizes } from './delta';
import { deltaPieces, fitsInMemory } from './deltaStream';
import { emptyEntryHeader, longestEntryHeader, readEntryHeader, type EntryHeader } from './entryHeader';
import { isObjectKind, packType } from './objectKind';
import { openFileSource } from './packSource';
import { PackWindow } from './packWindow';
import type { ReadingLimits } from './inflateContent';
import { inflateAt, type StoredObject } from './storedObject';

/** A pack that is open for reading here and there. */
export interface OpenPack {
  file: number;
  path: string;
  nameLength: number;
  /** Objects in the pack: no chain is longer. */
  count: number;
  /** Where the pack has the object of this name, or -1. */
  find: (name: Uint8Array) => number;
}

interface Link {
  /** Where the delta's zlib stream begins. */
  at: number;
  size: number;
}

/**
 * Reads the object at `offset` of a pack: walks to the base of its chain, then applies the deltas on the way back. The
 * walk keeps a list, not the call stack: a chain may have any depth.
 * @param outside reads a base that the pack does not have; a pack in a repository should have all of its bases.
 * @throws `corrupt` with the offset when the pack is not sound.
 */
export async function readPackedObject(
  pack: OpenPack,
  offset: number,
  limits: ReadingLimits,
  outside: (name: Uint8Array) => Promise<StoredObject | undefined>,
): Promise<StoredObject> {
  const chain: Link[] = [];
  let at = offset;
  for (;;) {
    const { header, name } = await headerAt(pack, at);
    const link: Link = { at: at + header.length, size: header.size };
    if (isObjectKind(header.type)) {
      const content = await inflateAt(pack.file, link.at, link.size, pack.path, limits);
      return { kind: header.type, content: await applyChain(pack, content, chain, limits) };
    }
    chain.push(link);
    if (chain.length > pack.count) throw corrupt(pack, offset, l10n.t('is built on itself'));
    if (header.type === packType.offsetDelta) at -= header.distance;
    else {
      const inPack = pack.find(name);
      if (inPack >= 0) at = inPack;
      else {
        const base = await outside(name);
        if (base === undefined) throw corrupt(pack, at, l10n.t('is a delta on an object that is not there'));
        return { kind: base.kind, content: await applyChain(pack, base.content, chain, limits) };
      }
    }
  }
}

/** The header of the entry at an offset, and the name of its base where it has one. */
export async function headerAt(pack: OpenPack, offset: number): Promise<{ header: EntryHeader; name: Uint8Array }> {
  const window = new PackWindow(openFileSource(pack.file, offset, pack.path), 'corrupt', longestEntryHeader);
  await window.fill(longestEntryHeader);
  const header = emptyEntryHeader();
  if (!readEntryHeader(window.buffer, 0, window.end, pack.nameLength, offset, pack.path, header)) {
    throw corrupt(pack, offset, l10n.t('ends inside its header'));
  }
  return { header, name: window.buffer.slice(header.baseNameAt, header.baseNameAt + pack.nameLength) };
}

async function applyChain(pack: OpenPack, base: Content, chain: Link[], limits: ReadingLimits): Promise<Content> {
  let content = base;
  for (let link = chain.pop(); link !== undefined; link = chain.pop()) {
    const delta = await inflateAt(pack.file, link.at, link.size, pack.path, limits);
    const before = content;
    try {
      content = applyOne(before, delta, limits);
    } catch (error) {
      if (error instanceof DeltaFault)
        throw corrupt(pack, link.at, l10n.t('has a delta that does not apply: {0}', error.message));
      throw error;
    } finally {
      if (delta instanceof ContentFile) delta[Symbol.dispose]();
      if (before instanceof ContentFile) before[Symbol.dispose]();
    }
  }
  return content;
}

function applyOne(base: Content, delta: Content, limits: ReadingLimits): Content {
  if (fitsInMemory(base, delta, limits.inMemory)) return applyDelta(base as Uint8Array, delta as Uint8Array);
  const inMemory = delta instanceof Uint8Array && readDeltaSizes(delta).resultSize <= limits.inMemory;
  const result = new ContentFile(limits.scratch);
  try {
    for (const piece of deltaPieces(base, delta)) result.append(piece);
    if (!inMemory) return result;
    const bytes = result.read(0, contentSize(result));
    result[Symbol.dispose]();
    return bytes;
  } catch (error) {
    result[Symbol.dispose]();
    throw error;
  }
}

function corrupt(pack: OpenPack, offset: number, what: string): Error {
  return corruptError(l10n.t('The object at offset {0} of {1} {2}.', offset, pack.path, what), {
    subject: pack.path,
    offset,
  });
}
