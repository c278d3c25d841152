import { isNode, nullNode, type Node } from '../revlog/node';

/** What one head's `.hgtags` says of one tag. */
interface TagRecord {
  node: Node;
  /** The nodes that the tag had before. */
  earlier: readonly Node[];
}

/** Tags by name; names are UTF-8 bytes as Latin-1. */
export type Tags = ReadonlyMap<string, Node>;

/**
 * Puts together what the `.hgtags` of all heads say, given from the lowest head's to the tip's. In one file the last line
 * for a tag counts. Between files one that knows the other's node as an earlier one is newer; otherwise the one with the
 * longer story; otherwise the one nearer to the tip. A tag at the null node has been removed.
 */
export function mergeTags(files: Iterable<Uint8Array>): Tags {
  const merged = new Map<string, TagRecord>();
  for (const file of files) {
    for (const [name, record] of parseTags(file)) {
      const known = merged.get(name);
      merged.set(name, known === undefined ? record : newer(known, record));
    }
  }
  const tags = new Map<string, Node>();
  for (const [name, { node }] of merged) if (node !== nullNode) tags.set(name, node);
  return tags;
}

/** Lines of node, space, name; what is not of that form is passed over, as people edit this file by hand. */
function parseTags(file: Uint8Array): Map<string, TagRecord> {
  const tags = new Map<string, TagRecord>();
  const text = Buffer.from(file.buffer, file.byteOffset, file.length).toString('latin1');
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    const node = line.slice(0, space);
    const name = line.slice(space + 1).trim();
    if (!isNode(node) || name === '') continue;
    const before = tags.get(name);
    tags.set(name, { node, earlier: before === undefined ? [] : [...before.earlier, before.node] });
  }
  return tags;
}

function newer(lower: TagRecord, higher: TagRecord): TagRecord {
  const higherKnowsLower = higher.earlier.includes(lower.node);
  const lowerKnowsHigher = lower.earlier.includes(higher.node);
  if (higherKnowsLower !== lowerKnowsHigher) return higherKnowsLower ? higher : lower;
  return lower.earlier.length > higher.earlier.length ? lower : higher;
}
