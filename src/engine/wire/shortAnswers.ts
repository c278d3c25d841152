import * as l10n from '@vscode/l10n';
import { parseListkeys } from '../bundle/listkeysPart';
import { unquote } from '../bundle/quoting';
import { EngineError, protocolError } from '../io/errors';
import { nullNode, parseNode, type Node } from '../revlog/node';
import { printable } from '../io/printable';

/** The answer to `heads`: nodes between spaces. None for an empty repository, which answers with the null node. */
export function parseHeads(answer: string): Node[] {
  const heads = answer.trim().split(/\s+/).filter(Boolean);
  if (heads.length === 0) throw protocolError(l10n.t('The server named no heads.'), { subject: 'heads' });
  return heads.map((head) => parseNode(head, l10n.t('The list of heads'))).filter((head) => head !== nullNode);
}

/** The answer to `known` of `count` nodes: a digit 0 or 1 for each. */
export function parseKnown(answer: string, count: number): boolean[] {
  const bits = answer.trim();
  if (bits.length !== count || /[^01]/.test(bits)) {
    throw protocolError(l10n.t('The server did not say of each of {0} nodes whether it knows it.', count), {
      subject: 'known',
    });
  }
  return Array.from(bits, (bit) => bit === '1');
}

/** The answer to `lookup`: 1 and a node, or 0 and the server's words. */
export function parseLookup(answer: string, key: string): Node {
  const [, success, rest] = /^([01]) ([^]*)$/.exec(answer.trimEnd()) ?? [];
  if (success === '1') return parseNode(rest, l10n.t('The answer to lookup of {0}', key));
  if (success === '0')
    throw protocolError(l10n.t('The server knows no {0}: {1}.', key, printable(rest)), { subject: key });
  throw protocolError(l10n.t('The answer to lookup of {0} is malformed.', key), { subject: 'lookup' });
}

/** The answer to `branchmap`: a line for each branch, its quoted name and the nodes of its heads. */
export function parseBranchmap(answer: string): Map<string, Node[]> {
  const branches = new Map<string, Node[]>();
  for (const line of answer.split('\n').filter(Boolean)) {
    const [name, ...heads] = line.split(' ');
    if (name === '' || heads.length === 0) {
      throw protocolError(
        l10n.t('The answer to branchmap has a line that is no branch: {0}.', printable(line.slice(0, 80))),
        {
          subject: 'branchmap',
        },
      );
    }
    branches.set(
      unquote(name),
      heads.map((head) => parseNode(head, l10n.t('The answer to branchmap'))),
    );
  }
  return branches;
}

/** The answer to `listkeys`: lines of key, tab, value. */
export function parseKeys(answer: string): Map<string, string> {
  try {
    return parseListkeys(Buffer.from(answer, 'latin1'));
  } catch (error) {
    // In a bundle such bytes would be damage; here the server itself says something else than it should.
    if (error instanceof EngineError) throw protocolError(error.message, { subject: 'listkeys', cause: error });
    throw error;
  }
}
