import * as l10n from '@vscode/l10n';
import { EngineError } from '../io/errors';
import type { Rev } from '../revlog/node';
import { censoredFlag, isTombstone, whyWithoutText } from '../revlog/revisionFlags';
import { OrderedTexts, type ReadText } from '../revlog/orderedTexts';
import type { Revlog } from '../revlog/revlog';
import type { VerifyFaults } from './verifyFault';

/**
 * Checks the text of every revision against its node, and that its link leads to a changeset.
 *
 * @param changesets how many there are
 * @param take called with each text that is sound, in order; censored revisions are passed over
 * @param range the revisions that are checked, the second one not among them; by default all
 */
export function checkTexts(
  revlog: Revlog,
  history: string,
  changesets: number,
  faults: VerifyFaults,
  take: (rev: Rev, read: ReadText) => void = () => undefined,
  [first, end]: readonly [number, number] = [0, revlog.length],
): void {
  const texts = new OrderedTexts(revlog, end);
  for (let number = first; number < end; number++) {
    const rev = number as Rev;
    try {
      const link = revlog.linkrev(rev);
      if (link < 0 || link >= changesets) {
        faults.add(
          history,
          l10n.t('{0} is linked to changeset {1}, which is not there.', revlog.describe(rev), link),
          rev,
        );
      }
      const flags = revlog.flags(rev);
      const why = whyWithoutText(flags);
      if (why === undefined) take(rev, texts.read(rev));
      else if ((flags & censoredFlag) === 0 || !isTombstone(revlog.rawText(rev))) {
        faults.add(history, `${revlog.describe(rev)} ${why}.`, rev);
      }
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'cancelled') throw error;
      faults.add(history, error.message, rev);
    }
  }
}
