import type { Operation } from '../io/operation';
import { throwIfCancelled } from '../io/operation';
import { nullNode, type Node } from '../revlog/node';
import type { Peer } from '../wire/peer';
import type { ChangelogGraph } from './changelogGraph';

/** What both sides have, and what the other side has besides. */
export interface Discovered {
  /** The heads of what both have; the null node when that is nothing. */
  common: Node[];
  remoteHeads: Node[];
  /** Whether the other side has changesets that are not here. */
  isIncoming: boolean;
  roundTrips: number;
}

/** How many nodes are asked about at once: in the first question, which is often the last, and in others. */
const firstSample = 200;
const laterSample = 1000;

const undecided = 0;
const common = 1;
const absent = 2;

/**
 * Finds out what of our history the other side has. The first question is for its heads and about ours, and settles most
 * cases. After that, each question is about revisions spread evenly over those that are undecided: an answer settles all
 * ancestors of one that is known there, and all descendants of one that is not. With a thousand at a time, a stretch of a
 * hundred thousand revisions is settled in two questions.
 */
export async function discover(graph: ChangelogGraph, peer: Peer, operation: Operation): Promise<Discovered> {
  const states = new Uint8Array(graph.length);
  let roundTrips = 1;
  const report = (state: 'running' | 'done') =>
    operation.progress({ type: 'phase', phase: 'discover', state, done: roundTrips, unit: 'requests' });
  const sample = sampleOf(graph, states, firstSample);
  const { heads: remoteHeads, known } = await peer.headsAndKnown(nodesOf(graph, sample), operation);
  report('running');
  const found = remoteHeads.map((head) => graph.find(head));
  for (const rev of found) if (rev !== undefined) states[rev] = common;
  const isIncoming = found.includes(undefined);
  settle(graph, states, sample, known);
  // Where all of theirs is here, what of ours is not there need not be known.
  while (isIncoming && states.includes(undecided)) {
    throwIfCancelled(operation);
    const revs = sampleOf(graph, states, laterSample);
    settle(graph, states, revs, await peer.known(nodesOf(graph, revs), operation));
    roundTrips++;
    report('running');
  }
  report('done');
  const heads = graph.headsOf(states).map((rev) => graph.node(rev));
  return { common: heads.length > 0 ? heads : [nullNode], remoteHeads, isIncoming, roundTrips };
}

/** Notes the answers, and what follows from them. */
function settle(graph: ChangelogGraph, states: Uint8Array, revs: readonly number[], known: readonly boolean[]): void {
  const { parents, length } = graph;
  revs.forEach((rev, at) => {
    if (states[rev] === undecided) states[rev] = known[at] ? common : absent;
  });
  for (let rev = length - 1; rev >= 0; rev--) {
    if (states[rev] !== common) continue;
    if (parents[2 * rev] >= 0) states[parents[2 * rev]] = common;
    if (parents[2 * rev + 1] >= 0) states[parents[2 * rev + 1]] = common;
  }
  for (let rev = 0; rev < length; rev++) {
    if (states[rev] !== undecided) continue;
    const [p1, p2] = [parents[2 * rev], parents[2 * rev + 1]];
    if ((p1 >= 0 && states[p1] === absent) || (p2 >= 0 && states[p2] === absent)) states[rev] = absent;
  }
}

/** The heads of what is undecided, as far as they fit, and others spread evenly over the rest. */
function sampleOf(graph: ChangelogGraph, states: Uint8Array, size: number): number[] {
  const isOpen = states.map((state) => (state === undecided ? 1 : 0));
  const open: number[] = [];
  for (let rev = 0; rev < states.length; rev++) if (isOpen[rev] === 1) open.push(rev);
  if (open.length <= size) return open;
  const heads = graph.headsOf(isOpen).slice(-Math.floor(size / 2));
  const sample = new Set<number>(heads);
  const step = open.length / (size - sample.size);
  for (let at = 0; Math.floor(at) < open.length; at += step) sample.add(open[Math.floor(at)]);
  return [...sample].slice(0, size);
}

function nodesOf(graph: ChangelogGraph, revs: readonly number[]): Node[] {
  return revs.map((rev) => graph.node(rev));
}
