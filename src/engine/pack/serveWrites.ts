import { toPlainError } from '../io/errors';
import type { Operation } from '../io/operation';
import { LooseWriter, type LooseTarget } from './looseWriter';
import { releaseFanout } from './quarantine';
import { WriteRing, type RingMemory } from './writeRing';

/** Writes what an unpacking in another thread puts into the ring, until it has no more. @throws `destination`, `cancelled`. */
export function serveWrites(target: LooseTarget, memory: RingMemory, operation: Pick<Operation, 'signal'>): void {
  using writer = new LooseWriter(target);
  const ring = new WriteRing(memory, writer, operation);
  try {
    ring.serve((first) => releaseFanout(target.quarantine, target.objects, first, target.fsync));
  } catch (error) {
    ring.fail(toPlainError(error));
    throw error;
  }
}
