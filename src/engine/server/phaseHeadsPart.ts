import type { Bundle2PartToWrite } from '../bundle/bundle2Writer';
import { phases } from '../bundle/phaseHeads';
import { ancestors, type Outgoing } from './outgoing';
import type { ServedView } from './servedRepository';

const entryLength = 24;

/**
 * The part that says which phase what the client asked for has: the heads of each phase, 4 bytes of phase and 20 of node.
 * What comes from a publishing repository is public.
 *
 * @see `hg help internals.bundle2`
 */
export function phaseHeadsPart(view: ServedView, { wanted }: Outgoing): Bundle2PartToWrite {
  const { graph, isPublishing } = view;
  const among = ancestors(graph.parents, wanted, graph.length);
  const entries = [phases.public, phases.draft].flatMap((phase) => {
    const ofPhase = among.map((isIn, rev) =>
      isIn === 1 && (isPublishing ? phases.public : view.phases[rev]) === phase ? 1 : 0,
    );
    return graph.headsOf(ofPhase).map((rev) => {
      const entry = Buffer.alloc(entryLength);
      entry.writeInt32BE(phase, 0);
      graph.copyNode(rev, entry, 4);
      return entry;
    });
  });
  return { type: 'phase-heads', isMandatory: true, payload: [Buffer.concat(entries)] };
}
