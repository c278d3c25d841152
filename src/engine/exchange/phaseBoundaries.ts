import type { PhaseHead } from '../bundle/phaseHeads';
import { nullRev, type Rev } from '../revlog/node';
import type { RevlogIndex } from '../revlog/revlogIndex';
import type { PhaseRoot, RemotePhases } from '../store/phases';

const draft = 1;

/** The phase of every changeset: the highest of the roots that it descends from, 0 (public) without any. */
export function phasesOf(changelog: RevlogIndex, roots: readonly PhaseRoot[]): Uint8Array {
  const phases = new Uint8Array(changelog.length);
  for (const { phase, node } of roots) {
    const rev = changelog.find(node);
    if (rev !== undefined && rev !== nullRev) phases[rev] = Math.max(phases[rev], phase);
  }
  for (let rev = 0; rev < phases.length; rev++) {
    for (const parent of [changelog.p1(rev as Rev), changelog.p2(rev as Rev)]) {
      if (parent !== nullRev && phases[parent] > phases[rev]) phases[rev] = phases[parent];
    }
  }
  return phases;
}

/** Those whose phase is higher than that of their parents. */
export function rootsOf(changelog: RevlogIndex, phases: Uint8Array): PhaseRoot[] {
  const roots: PhaseRoot[] = [];
  for (let rev = 0; rev < phases.length; rev++) {
    if (phases[rev] === 0) continue;
    const [p1, p2] = [changelog.p1(rev as Rev), changelog.p2(rev as Rev)];
    const inherited = Math.max(p1 === nullRev ? 0 : phases[p1], p2 === nullRev ? 0 : phases[p2]);
    if (phases[rev] > inherited) roots.push({ phase: phases[rev], node: changelog.node(rev as Rev) });
  }
  return roots;
}

/**
 * The phase roots after an exchange: what is new begins as draft, and what the other side has in a lower phase comes down
 * to it, with its ancestors. Nothing is ever raised.
 *
 * @param firstNew the first changeset that the exchange added
 */
export function boundariesAfter(
  changelog: RevlogIndex,
  roots: readonly PhaseRoot[],
  firstNew: number,
  heads: readonly PhaseHead[],
): PhaseRoot[] {
  const phases = phasesOf(changelog, roots);
  for (let rev = firstNew; rev < phases.length; rev++) phases[rev] = Math.max(phases[rev], draft);
  // Lowered from the top down; 255 stands for what the other side says nothing of.
  const most = new Uint8Array(phases.length).fill(255);
  for (const { phase, node } of heads) {
    const rev = changelog.find(node);
    if (rev !== undefined && rev !== nullRev && phase >= 0) most[rev] = Math.min(most[rev], phase);
  }
  for (let rev = phases.length - 1; rev >= 0; rev--) {
    if (most[rev] === 255) continue;
    phases[rev] = Math.min(phases[rev], most[rev]);
    for (const parent of [changelog.p1(rev as Rev), changelog.p2(rev as Rev)]) {
      if (parent !== nullRev) most[parent] = Math.min(most[parent], most[rev]);
    }
  }
  return rootsOf(changelog, phases);
}

/** What `listkeys` says of phases, in the form of heads: for servers whose bundles do not bring them. */
export function phaseHeadsOf(
  changelog: RevlogIndex,
  remote: RemotePhases,
  remoteHeads: readonly string[],
): PhaseHead[] {
  const isTheirs = new Uint8Array(changelog.length);
  for (const head of remoteHeads) {
    const rev = changelog.find(head as PhaseHead['node']);
    if (rev !== undefined && rev !== nullRev) isTheirs[rev] = 1;
  }
  for (let rev = isTheirs.length - 1; rev >= 0; rev--) {
    if (isTheirs[rev] === 0) continue;
    for (const parent of [changelog.p1(rev as Rev), changelog.p2(rev as Rev)]) {
      if (parent !== nullRev) isTheirs[parent] = 1;
    }
  }
  const roots = remote.publishing ? [] : remote.draftRoots.map((node) => ({ phase: draft, node }));
  const phases = phasesOf(changelog, roots);
  const heads: PhaseHead[] = [];
  for (let rev = 0; rev < isTheirs.length; rev++) {
    if (isTheirs[rev] === 1 && phases[rev] <= draft)
      heads.push({ phase: phases[rev], node: changelog.node(rev as Rev) });
  }
  return heads;
}
