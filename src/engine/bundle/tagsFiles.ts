import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { nodeAt, type Node } from '../revlog/node';

/** Which revision of `.hgtags` a changeset has. */
export interface TagsFile {
  changeset: Node;
  file: Node;
}

const pair = 40;

/**
 * Parses the payload of an `hgtagsfnodes` part: pairs of 20-byte nodes, a changeset and its revision of `.hgtags`.
 * @throws `corrupt` when it ends inside a pair.
 * @see `hg help internals.bundle2`
 */
export function parseTagsFiles(payload: Uint8Array): TagsFile[] {
  if (payload.length % pair !== 0) {
    throw corruptError(l10n.t('An hgtagsfnodes part of {0} bytes is no list of pairs of nodes.', payload.length), {
      subject: 'hgtagsfnodes',
    });
  }
  return Array.from({ length: payload.length / pair }, (_, index) => ({
    changeset: nodeAt(payload, index * pair),
    file: nodeAt(payload, index * pair + pair / 2),
  }));
}
