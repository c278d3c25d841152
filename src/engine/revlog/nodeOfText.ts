import { createHash } from 'node:crypto';
import type { Node } from './node';

/** The node of a text with these parents: the hash of their nodes, the smaller one first, and the text. */
export function hashText(p1: Node, p2: Node, text: Uint8Array): Node {
  const [first, second] = p1 < p2 ? [p1, p2] : [p2, p1];
  const parents = Buffer.from(first + second, 'hex');
  return createHash('sha1').update(parents).update(text).digest('hex') as Node;
}
