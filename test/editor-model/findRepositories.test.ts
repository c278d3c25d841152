import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositories, packsOf } from '../../src/editor/chains/findRepositories';
import { git, temporaryFolder } from '../fixtures/gitRepository';
import { temporaryDirectory } from '../fixtures/hg';
import { hg } from '../fixtures/hgCommand';

describe('repositories of a folder', () => {
  it('are the folder itself and those one level down', async () => {
    await using folder = await temporaryDirectory('find');
    hg(folder.path, ['init', 'outer']);
    const outer = join(folder.path, 'outer');
    hg(outer, ['init', 'inner']);
    mkdirSync(join(outer, 'plain'));
    hg(join(outer, 'plain'), ['init', 'tooDeep']);
    const inner = join(outer, 'inner');
    assert.deepEqual(await findRepositories(outer), [
      { kind: 'hg', root: outer },
      { kind: 'hg', root: inner },
    ]);
    assert.deepEqual(await findRepositories(join(inner, '.hg')), [{ kind: 'hg', root: inner }]);
    assert.deepEqual(await findRepositories(join(folder.path, 'nowhere')), []);
  });

  it('are of Git where there are packs', async () => {
    using folder = temporaryFolder('find');
    git(folder.path, ['init', '-q']);
    writeFileSync(join(folder.path, 'a.txt'), 'a\n');
    git(folder.path, ['add', '.']);
    git(folder.path, ['commit', '-q', '-m', 'a']);
    assert.deepEqual(await findRepositories(folder.path), []);
    git(folder.path, ['gc', '-q']);
    assert.deepEqual(await findRepositories(folder.path), [{ kind: 'git', root: folder.path }]);
    const [{ path, bytes }] = packsOf(folder.path);
    assert.equal(bytes, statSync(path).size);
  });
});
