import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTrue, parseGitConfig, parseSize } from '../../../src/engine/pack/gitConfig';
import { openGitRepository } from '../../../src/engine/pack/gitRepository';
import { allObjects, git, initRepository, temporaryFolder } from '../../fixtures/gitRepository';
import { buildPack } from '../../fixtures/packBuilder';
import { unpackHere } from '../../fixtures/unpackHere';

describe('the settings of a repository', () => {
  const folder = temporaryFolder();
  after(() => folder[Symbol.dispose]());

  it('are read as git config reads them', () => {
    const path = join(folder.path, 'config');
    writeFileSync(
      path,
      [
        '[core]',
        '\tbare = true # a comment',
        '\tbigFileThreshold = 2m',
        ' LooseCompression=7',
        '; a comment',
        '[remote "some one"] url = "a b" ; c',
        '\tfetch = "x;y"z \\',
        '  more',
        '[Branch "Main\\"x"]',
        '\tMerge = tab\\there',
        '\trebase',
        '[core]',
        '\tbare = false',
        '\tempty =',
        '[extensions]',
        '\tobjectFormat = sha256',
      ].join('\n'),
    );
    const theirs = git(folder.path, ['config', '--file', path, '--list', '-z']).toString().split('\0').filter(Boolean);
    const expected = new Map(
      theirs.map((entry) => {
        const cut = entry.indexOf('\n');
        return cut < 0 ? [entry, 'true'] : [entry.slice(0, cut), entry.slice(cut + 1)];
      }),
    );
    const ours = parseGitConfig(readFileSync(path, 'utf8'));
    assert.deepEqual(new Map([...ours].sort()), new Map([...expected].sort()));
  });

  it('know sizes and switches in all their forms', () => {
    assert.deepEqual(['0', '512m', '2K', '3g', '10', 'x', '1t', '-1', ''].map(parseSize), [
      0,
      512 * 1024 ** 2,
      2048,
      3 * 1024 ** 3,
      10,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual(['true', 'yes', 'on', '1', 'false', 'no', 'off', '0', '', undefined].map(isTrue), [
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('decide whether objects are brought to the disk', async () => {
    const repository = initRepository(join(folder.path, 'fsync.git'));
    assert.equal(openGitRepository(repository).fsync, false);
    git(repository, ['config', 'core.fsync', 'loose-object']);
    assert.equal(openGitRepository(repository).fsync, true);
    await unpackHere(buildPack([{ kind: 'blob', content: Buffer.from('on the disk') }]), repository);
    assert.equal(allObjects(repository).length, 1);
    git(repository, ['config', 'core.fsync', 'none']);
    assert.equal(openGitRepository(repository).fsync, false);
  });
});
