import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedPaths } from '../../../src/engine/exchange/namedPaths';
import { temporaryDirectory } from '../../fixtures/hg';
import { hg } from '../../fixtures/hgCommand';

describe('the paths of a repository', () => {
  it('are those that hg lists to pull from, the default first', async () => {
    await using folder = await temporaryDirectory('paths');
    hg(folder.path, ['init', 'r']);
    const root = join(folder.path, 'r');
    assert.deepEqual(namedPaths(root), []);
    appendFileSync(
      join(root, '.hg', 'hgrc'),
      '[paths]\nother = https://example.org/o\ndefault = https://me:secret@example.org/d\ndefault:pushrev = .\ndefault-push = ssh://x/y\nempty =\n',
    );
    assert.deepEqual(namedPaths(root), [
      { name: 'default', address: 'https://me:secret@example.org/d' },
      { name: 'other', address: 'https://example.org/o' },
    ]);
    const listed = hg(root, ['paths', '-q']).toString().trim().split('\n').sort();
    assert.deepEqual(listed, ['default', 'default-push', 'other']);
  });

  it('are none where there is no repository', () => {
    assert.throws(() => namedPaths('/nowhere'), { kind: 'destination' });
  });
});
