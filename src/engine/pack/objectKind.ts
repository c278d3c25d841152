/**
 * What an entry of a pack holds, by the three bits that say so (`git help gitformat-pack`, "Object types"). Type 0 is
 * invalid and type 5 reserved.
 */
export const packType = { commit: 1, tree: 2, blob: 3, tag: 4, offsetDelta: 6, nameDelta: 7 } as const;

/** The kinds that an object can have once its deltas are resolved: 1 commit, 2 tree, 3 blob, 4 tag. */
export type ObjectKind = 1 | 2 | 3 | 4;

export const kindNames = ['unknown', 'commit', 'tree', 'blob', 'tag'] as const;

export function isObjectKind(type: number): type is ObjectKind {
  return type >= packType.commit && type <= packType.tag;
}

/** The kind that a loose object's header names, or undefined for a word that is none. */
export function kindOfName(word: string): ObjectKind | undefined {
  const kind = (kindNames as readonly string[]).indexOf(word);
  return isObjectKind(kind) ? kind : undefined;
}

/** The header that an object is hashed and stored with: `blob 12\0`. */
export function looseHeader(kind: ObjectKind, size: number): Uint8Array {
  return Buffer.from(`${kindNames[kind]} ${size}\0`, 'latin1');
}
