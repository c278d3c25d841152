import { equal, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../src/engine/engine';
import { stateOf } from '../fixtures/busyRepository';
import { builtEngine } from '../fixtures/engine';
import { temporaryFolder } from '../fixtures/gitRepository';
import { hg, hgText } from '../fixtures/hgCommand';
import { putTogether, takeApart, type TakenApart } from '../fixtures/rewrittenBundle';
import { unbundleBytes } from '../fixtures/unbundleBytes';
import { writeHistory } from '../fixtures/writtenHistory';

/** So many, and so long, that a second thread is called to check them. */
const history = { changesets: 3000, files: 400, mergeEvery: 9 };

describe('many long manifests', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('long-manifests');
  let engine: Engine;
  let truth: TakenApart;
  let target: string;
  before(async () => {
    engine = builtEngine();
    const source = join(folder.path, 'source');
    await writeHistory(source, history);
    target = join(folder.path, 'target');
    hg(folder.path, ['clone', '-q', '-U', '--pull', '-r', '0', source, target]);
    const file = join(folder.path, 'new.hg');
    hg(source, ['bundle', '-q', '-t', 'none-v2', '--base', '0', file]);
    truth = await takeApart(readFileSync(file));
  });
  after(async () => {
    await engine.dispose();
    folder[Symbol.dispose]();
  });

  for (const [where, at] of [
    ['in the middle', history.changesets / 2],
    ['at the end', history.changesets - 2],
  ] as const)
    it(`are refused when one is not what its node stands for: ${where}`, async () => {
      const manifests = truth.manifests.map((revision, number) =>
        number === at ? { ...revision, delta: withOtherDigit(revision.delta) } : revision,
      );
      const before = stateOf(target);
      const error = await unbundleBytes(
        engine,
        target,
        join(folder.path, 'lie.hg'),
        putTogether({ ...truth, manifests }),
      );
      equal(error?.kind, 'integrity');
      match(error.message, /00manifest\.i does not have the content that its hash stands for/);
      equal(stateOf(target), before);
    });

  it('are taken when all are', async () => {
    equal(await unbundleBytes(engine, target, join(folder.path, 'truth.hg'), putTogether(truth)), undefined);
    hg(target, ['verify', '-q']);
    equal(hgText(target, ['tip', '-T', '{rev}']), String(history.changesets - 1));
  });
});

/** A delta that names another revision of a file: its last hex digit is another. */
function withOtherDigit(delta: Uint8Array): Buffer {
  const changed = Buffer.from(delta);
  const at = changed.length - 2;
  changed[at] = changed[at] === 0x30 ? 0x31 : 0x30;
  return changed;
}
