import { quote } from '../bundle/quoting';
import { protocolError } from '../io/errors';
import { isNode, nullNode, type Node } from '../revlog/node';
import { decodeBatchedCommands, encodeBatchAnswers } from '../wire/batch';
import type { GivenArguments } from './commandRequest';
import { BranchNames } from '../workingcopy/branches';
import { readTags } from '../workingcopy/readTags';
import { branchHeads } from './branchHeads';
import { readCloneBundles } from './cloneBundlesFile';
import { formatKeys, listKeys } from './keyParts';
import { parseNodes } from './getbundleOptions';
import type { ServedRepository, ServedView } from './servedRepository';

type Answer = (served: ServedRepository, args: GivenArguments) => string;

/** Commands whose answer is short, bytes as Latin-1. @see `hg help internals.wireprotocol` */
const commands: Record<string, Answer> = {
  heads: (served) => `${headNodes(served.view()).join(' ')}\n`,
  known: (served, { nodes = '' }) => {
    const view = served.view();
    return parseNodes(nodes)
      .map((node) => (isVisible(view, node) ? '1' : '0'))
      .join('');
  },
  lookup: (served, { key = '' }) => {
    const node = lookUp(served, key);
    return node === undefined ? `0 unknown revision '${key}'\n` : `1 ${node}\n`;
  },
  listkeys: (served, { namespace = '' }) => formatKeys(listKeys(served.view(), namespace)),
  branchmap: (served) =>
    [...branchesOf(served)].map(([branch, heads]) => [quote(branch), ...heads].join(' ')).join('\n'),
  between: (served, { pairs = '' }) =>
    pairs
      .split(' ')
      .filter(Boolean)
      .map((pair) => `${between(served.view(), pair).join(' ')}\n`)
      .join(''),
  clonebundles: ({ repository }) => readCloneBundles(repository),
  batch: (served, { cmds = '' }) => answerBatch(served, cmds),
};

/** Whether a command has a short answer. */
export function isShortCommand(name: string): boolean {
  return Object.hasOwn(commands, name);
}

/** The answer to a command. @throws `protocol` for arguments that cannot be, and for a command that is none */
export function answerShortly(served: ServedRepository, name: string, args: GivenArguments): string {
  if (!isShortCommand(name)) throw protocolError(`unknown command ${JSON.stringify(name.slice(0, 60))}`);
  return commands[name](served, args);
}

/** The nodes of the heads; the null node where there is none. */
export function headNodes({ graph, heads }: ServedView): Node[] {
  return heads.length === 0 ? [nullNode] : heads.map((rev) => graph.node(rev)).reverse();
}

/** The changeset that a key stands for, among those that clients may see. */
export function lookUp(served: ServedRepository, key: string): Node | undefined {
  const view = served.view();
  if (key === 'null' || key === nullNode) return nullNode;
  if (key === 'tip') return nodeOf(view, view.isServed.lastIndexOf(1));
  if (/^-?\d{1,9}$/.test(key) && String(Number(key)) === key) {
    // Below nothing, it is counted from the end.
    const rev = Number(key) < 0 ? Number(key) + view.graph.length : Number(key);
    if (rev >= 0 && rev < view.graph.length) return nodeOf(view, rev);
  }
  if (isNode(key)) return isVisible(view, key) ? key : undefined;
  return view.bookmarks.get(key) ?? tagged(served, view, key) ?? branchTip(served, view, key) ?? byPrefix(view, key);
}

function nodeOf({ graph, isServed }: ServedView, rev: number): Node | undefined {
  return isServed[rev] === 1 ? graph.node(rev) : undefined;
}

function isVisible({ graph, isServed }: ServedView, node: Node): boolean {
  if (node === nullNode) return true;
  const rev = graph.find(node);
  return rev !== undefined && isServed[rev] === 1;
}

function tagged(served: ServedRepository, view: ServedView, key: string): Node | undefined {
  using changelog = served.openChangelog();
  const node = changelog === undefined ? undefined : readTags(served.repository, changelog).get(key);
  return node !== undefined && isVisible(view, node) ? node : undefined;
}

/** Of the heads of a branch that are open the last, of the closed ones when there is no other. */
function branchTip(served: ServedRepository, view: ServedView, branch: string): Node | undefined {
  using changelog = served.openChangelog();
  if (changelog === undefined) return undefined;
  const names = BranchNames.open(changelog, served.repository.hg);
  let closed: Node | undefined;
  for (const rev of (branchHeads(view, names).get(branch) ?? []).reverse()) {
    if (!names.of(rev).closes) return view.graph.node(rev);
    closed ??= view.graph.node(rev);
  }
  return closed;
}

function byPrefix({ graph, isServed }: ServedView, prefix: string): Node | undefined {
  if (!/^[0-9a-f]{1,39}$/.test(prefix)) return undefined;
  let found: Node | undefined;
  for (let rev = 0; rev < graph.length; rev++) {
    if (isServed[rev] !== 1 || !graph.node(rev).startsWith(prefix)) continue;
    if (found !== undefined) return undefined;
    found = graph.node(rev);
  }
  return found;
}

function branchesOf(served: ServedRepository): Map<string, Node[]> {
  using changelog = served.openChangelog();
  if (changelog === undefined) return new Map();
  const view = served.view();
  const names = BranchNames.open(changelog, served.repository.hg);
  return new Map([...branchHeads(view, names)].map(([name, revs]) => [name, revs.map((rev) => view.graph.node(rev))]));
}

/** Nodes between `top` and `bottom` along first parents, at distances 1, 2, 4 ... from the top: what old clients ask for. */
function between(view: ServedView, pair: string): Node[] {
  const [top, bottom, ...rest] = pair.split('-');
  if (!isNode(top) || !isNode(bottom) || rest.length > 0) {
    throw protocolError(`${JSON.stringify(pair.slice(0, 100))} is no pair of nodes.`);
  }
  const { graph } = view;
  const nodes: Node[] = [];
  let rev: number = isVisible(view, top) ? (graph.find(top) ?? -1) : -1;
  for (let steps = 0, next = 1; rev >= 0 && graph.node(rev) !== bottom; steps++) {
    if (steps === next) {
      nodes.push(graph.node(rev));
      next *= 2;
    }
    rev = graph.parents[2 * rev];
  }
  return nodes;
}

function answerBatch(served: ServedRepository, cmds: string): string {
  return encodeBatchAnswers(
    decodeBatchedCommands(cmds).map(({ command, args }) => {
      if (command === 'batch') throw protocolError('A batch cannot hold another.');
      return answerShortly(served, command, args);
    }),
  );
}
