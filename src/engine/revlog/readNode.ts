import * as l10n from '@vscode/l10n';
import { closeSync, openSync, readSync } from 'node:fs';
import { corruptError } from '../io/errors';
import type { ChainColumns } from './chainColumns';
import { nodeAt, type Node } from './node';

const entryLength = 64;
const nodeField = 32;
const nodeLength = 20;

/**
 * Reads the node of one revision from the index that the columns were read from: 20 bytes at byte 32 of its entry
 * (`hg help internals.revlogs`). In an inline revlog the chunks lie between the entries.
 *
 * @throws `corrupt` when the index ends before, the file system's own error
 */
export function readNode({ path, isInline, offsets }: ChainColumns, rev: number): Node {
  const at = rev * entryLength + (isInline ? offsets[rev] : 0) + nodeField;
  const node = new Uint8Array(nodeLength);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, node, 0, nodeLength, at) === nodeLength) return nodeAt(node);
  } finally {
    closeSync(file);
  }
  throw corruptError(l10n.t('The index ends before the node of revision {0}: {1}.', rev, path), {
    subject: path,
    offset: at,
  });
}
