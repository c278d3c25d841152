import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import { unattended } from '../../../src/engine/io/operation';
import type { Rev } from '../../../src/engine/revlog/node';
import { openRevlog } from '../../../src/engine/store/openRevlog';
import { locateRepository } from '../../../src/engine/store/repositoryFolders';
import { findLocalChange } from '../../../src/engine/workingcopy/localChanges';
import { Manifest } from '../../../src/engine/workingcopy/manifest';
import { changesBetween, replaceFiles } from '../../../src/engine/workingcopy/replaceFiles';
import { readWorkingCopyState } from '../../../src/engine/workingcopy/workingCopyState';
import { temporaryDirectory } from '../../fixtures/hg';
import { hg } from '../../fixtures/hgCommand';

describe('replacing the files of a working copy', () => {
  before(() => zstdReady);

  it('undoes what it did when a file is changed in the middle, whenever that is', async () => {
    await using folder = await temporaryDirectory('replace');
    const { path: root } = folder;
    hg(root, ['init']);
    mkdirSync(join(root, 'd'));
    for (const name of ['a', 'b', 'd/goes', 'e']) writeFileSync(join(root, name), `first ${name}\n`);
    hg(root, ['commit', '-qA', '-m', 'first']);
    for (const name of ['a', 'b', 'e']) appendFileSync(join(root, name), 'second\n');
    rmSync(join(root, 'd', 'goes'));
    writeFileSync(join(root, 'f'), 'comes\n');
    hg(root, ['commit', '-qA', '-m', 'second']);
    hg(root, ['update', '-q', '0']);

    const repository = locateRepository(root);
    using manifests = openRevlog(repository, '00manifest.i');
    const [before, after] = [0, 1].map((rev) => Manifest.parse(manifests.text(rev as Rev), `manifest ${rev}`));
    const changes = changesBetween(before, after);
    assert.deepEqual(changes, { removed: ['d/goes'], written: ['a', 'b', 'e', 'f'] });
    const first = snapshot(root);
    const modes = new Map(['a', 'b', 'd/goes', 'e'].map((name) => [name, statSync(join(root, name)).mode]));
    for (const [at, victim] of ['a', 'b', 'e'].entries()) {
      const found = findLocalChange(repository, readWorkingCopyState(repository).dirstate, before, unattended);
      assert.ok('clean' in found);
      let done = 0;
      const meddle = () => {
        if (++done === at + 1) appendFileSync(join(root, victim), 'mine\n');
      };
      await assert.rejects(replaceFiles(repository, before, after, changes, found.clean, meddle), {
        kind: 'destination',
      });
      assert.equal(readFileSync(join(root, victim), 'utf8'), `first ${victim}\nmine\n`);
      writeFileSync(join(root, victim), `first ${victim}\n`);
      assert.deepEqual(snapshot(root), first);
    }
    for (const [name, mode] of modes) assert.equal(statSync(join(root, name)).mode, mode);
    assert.equal(hg(root, ['status']).toString(), '');
  });
});

function snapshot(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('.hg'));
  const files = names.filter((name) => statSync(join(root, name)).isFile()).sort();
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}
