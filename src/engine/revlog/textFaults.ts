import { EngineError } from '../io/errors';
import { throwIfCancelled, type Operation } from '../io/operation';
import { Faults } from './indexFaults';
import { nullRev, type Rev } from './node';
import { Revlog, type RevlogOptions } from './revlog';

const revsBetweenReports = 256;

/**
 * Reads every text of a revlog and checks it against its node. What cannot be put together, or is not what its node
 * stands for, is a fault of the first revision on the chain where that is so; those built on it have none of
 * their own.
 *
 * @throws `unsupported` when it is no revlog of version 1, `cancelled`, the file system's own error
 */
export function findTextFaults(path: string, options: RevlogOptions, operation: Operation): Faults {
  using revlog = Revlog.open(path, { ...options, isDamageKept: true });
  const faults = new Faults();
  const isBroken = new Uint8Array(revlog.length);
  for (let number = 0; number < revlog.length; number++) {
    const rev = number as Rev;
    if (number % revsBetweenReports === 0) {
      throwIfCancelled(operation);
      operation.progress({
        type: 'phase',
        phase: 'verify',
        state: 'running',
        done: number,
        total: revlog.length,
        unit: 'revisions',
      });
    }
    try {
      revlog.text(rev);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // Censored, or kept elsewhere: nothing is wrong with it, and what is built on it can be read.
      if (error.kind === 'unsupported') continue;
      isBroken[rev] = 1;
      if (!isBuiltOnBroken(revlog, rev, isBroken)) {
        faults.add(error.kind === 'integrity' ? 'hash' : 'chunk', rev, () => error.message);
      }
    }
  }
  operation.progress({
    type: 'phase',
    phase: 'verify',
    state: 'done',
    done: revlog.length,
    total: revlog.length,
    unit: 'revisions',
  });
  return faults;
}

function isBuiltOnBroken(revlog: Revlog, rev: Rev, isBroken: Uint8Array): boolean {
  try {
    const parent = revlog.deltaParent(rev);
    return parent !== nullRev && isBroken[parent] === 1;
  } catch (error) {
    // Its own base is what is broken.
    if (error instanceof EngineError) return false;
    throw error;
  }
}
