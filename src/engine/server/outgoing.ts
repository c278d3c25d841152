import { unsupportedError } from '../io/errors';
import { nullNode, type Node, type Rev } from '../revlog/node';
import type { ServedView } from './servedRepository';

/** What a client gets, and what it has. */
export interface Outgoing {
  /** 1 for each changeset that goes out. */
  isSent: Uint8Array;
  /** 1 for each that the client has. */
  isCommon: Uint8Array;
  /** Those that go out, in order. */
  revs: Rev[];
  /** What the client asked for, or all heads. */
  wanted: Rev[];
  /** Whether it is everything that there is, to a client that has nothing. */
  isAll: boolean;
}

/**
 * What descends from what: the ancestors of `heads` without those of `common`, among what clients may see.
 * @param heads all when absent
 * @throws `unsupported` for a head that clients cannot see
 */
export function findOutgoing(view: ServedView, heads: readonly Node[] | undefined, common: readonly Node[]): Outgoing {
  const { graph, isServed } = view;
  const wanted = heads?.filter((node) => node !== nullNode).map((node) => visible(view, node)) ?? view.heads;
  const has = common.map((node) => graph.find(node)).filter((rev) => rev !== undefined && isServed[rev] === 1);
  const isCommon = ancestors(graph.parents, has as Rev[], graph.length);
  const isSent = ancestors(graph.parents, wanted, graph.length);
  const revs: Rev[] = [];
  for (let rev = 0; rev < graph.length; rev++) {
    if (isCommon[rev] === 1) isSent[rev] = 0;
    else if (isSent[rev] === 1) revs.push(rev as Rev);
  }
  return { isSent, isCommon, revs, wanted, isAll: revs.length === graph.length };
}

function visible({ graph, isServed }: ServedView, node: Node): Rev {
  const rev = graph.find(node);
  if (rev !== undefined && isServed[rev] === 1) return rev;
  throw unsupportedError(`There is no changeset ${node} here.`, { subject: node });
}

/** 1 for some revisions and all that they descend from. */
export function ancestors(parents: Int32Array, revs: readonly Rev[], length: number): Uint8Array {
  const found = new Uint8Array(length);
  for (const rev of revs) found[rev] = 1;
  for (let rev = length - 1; rev >= 0; rev--) {
    if (found[rev] === 0) continue;
    if (parents[2 * rev] >= 0) found[parents[2 * rev]] = 1;
    if (parents[2 * rev + 1] >= 0) found[parents[2 * rev + 1]] = 1;
  }
  return found;
}
