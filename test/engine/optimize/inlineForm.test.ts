import { deepEqual, throws } from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeInlineForm } from '../../../src/engine/optimize/inlineForm';
import type { Rev } from '../../../src/engine/revlog/node';
import { Revlog } from '../../../src/engine/revlog/revlog';
import { chainRepository } from '../../fixtures/chainRepositories';
import { copyOf } from '../../fixtures/optimizeRepository';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hgText } from '../../fixtures/hgCommand';

describe('a revlog with its chunks in its index', () => {
  const folder = temporaryFolder('inline-form');
  after(() => folder[Symbol.dispose]());

  it('has the texts that it had in two files, and hg reads them', async () => {
    const root = copyOf(await chainRepository('merges'), join(folder.path, 'copy'));
    const [index, chunks] = ['.i', '.d'].map((end) => join(root, `.hg/store/data/text${end}`));
    const inline = join(folder.path, 'inline.i');
    writeInlineForm(index, chunks, inline);
    using before = Revlog.open(index, { chunkPath: chunks });
    using after = Revlog.open(inline);
    deepEqual([before.isInline, after.isInline, after.length], [false, true, before.length]);
    for (let rev = 0; rev < before.length; rev++) deepEqual(after.text(rev as Rev), before.text(rev as Rev));
    const theirs = hgText(root, ['debugdata', 'text', '50']);
    writeFileSync(index, readFileSync(inline));
    truncateSync(chunks);
    deepEqual(hgText(root, ['debugdata', 'text', '50']), theirs);
  });

  it('is refused when the chunks end before the index says so', async () => {
    const root = copyOf(await chainRepository('merges'), join(folder.path, 'short'));
    const [index, chunks] = ['.i', '.d'].map((end) => join(root, `.hg/store/data/text${end}`));
    truncateSync(chunks, readFileSync(chunks).length - 1);
    throws(() => writeInlineForm(index, chunks, join(folder.path, 'short.i')), { kind: 'corrupt', subject: chunks });
  });
});
