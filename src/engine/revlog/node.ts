import * as l10n from '@vscode/l10n';
import { protocolError } from '../io/errors';

/** A revision number: its place in one revlog, from 0; -1 is the null revision. */
export type Rev = number & { readonly brand: unique symbol };

/** The hash that names a revision: 40 lower-case hexadecimal digits. */
export type Node = string & { readonly brand: unique symbol };

/** The parent of what has no parent. */
export const nullNode = '0'.repeat(40) as Node;
export const nullRev = -1 as Rev;

const nodePattern = /^[0-9a-f]{40}$/;

/** Tells whether `text` is a full node in hexadecimal. */
export function isNode(text: string): text is Node {
  return nodePattern.test(text);
}

/** `text` as a node. @throws `protocol` naming `context` when it is not one. */
export function parseNode(text: string, context: string): Node {
  if (!isNode(text)) throw protocolError(l10n.t('{0}: "{1}" is not a node.', context, text.slice(0, 60)));
  return text;
}

/** The 20 bytes at `offset` as a node. */
export function nodeAt(bytes: Uint8Array, offset = 0): Node {
  return Buffer.from(bytes.buffer, bytes.byteOffset + offset, 20).toString('hex') as Node;
}
