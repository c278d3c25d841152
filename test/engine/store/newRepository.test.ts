import { deepEqual, equal, throws } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHgrc } from '../../../src/engine/store/hgrc';
import { createRepository } from '../../../src/engine/store/newRepository';
import { requirementsOfClone } from '../../../src/engine/store/requirements';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';

const streamed = ['generaldelta', 'revlog-compression-zstd', 'revlogv1', 'sparserevlog'];

/** All of a folder, as paths; what hg keeps for `hg rollback` and its caches are left out: it makes those itself. */
function contents(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/(^|\/)undo|\/cache\/|\/wcache\//.test(path))
    .sort();
}

describe('a new repository', () => {
  for (const shareSafe of [true, false]) {
    it(`is what hg clone --stream -U leaves of an empty one, ${shareSafe ? 'with' : 'without'} share-safe`, () => {
      using folder = temporaryFolder('new');
      hg(folder.path, ['init', 'source']);
      const format = ['--config', `format.use-share-safe=${shareSafe ? 'yes' : 'no'}`];
      hg(folder.path, ['clone', '-q', '--stream', '-U', ...format, 'source', 'theirs']);
      const requirements = requirementsOfClone(streamed);
      if (!shareSafe) requirements.delete('share-safe');
      const ours = join(folder.path, 'ours');
      createRepository(ours, { requirements, defaultPath: join(folder.path, 'source') });

      const theirs = join(folder.path, 'theirs');
      deepEqual(contents(ours), contents(theirs));
      for (const name of ['requires', 'dirstate', ...(shareSafe ? ['store/requires'] : [])]) {
        deepEqual(readFileSync(join(ours, '.hg', name)), readFileSync(join(theirs, '.hg', name)), name);
      }
      deepEqual(readHgrc(join(ours, '.hg', 'hgrc')).get('paths'), readHgrc(join(theirs, '.hg', 'hgrc')).get('paths'));
      const header = (root: string) => readFileSync(join(root, '.hg', '00changelog.i')).subarray(0, 4);
      deepEqual(header(ours), header(theirs));
    });
  }

  it('is one that hg works with', () => {
    using folder = temporaryFolder('new');
    const root = join(folder.path, 'r');
    createRepository(root, { requirements: requirementsOfClone(streamed), defaultPath: 'http://example.com/%20x/' });
    equal(hgText(root, ['verify', '-q']), '');
    equal(hgText(root, ['paths', 'default']), 'http://example.com/%20x/');
    equal(hgText(root, ['status']), '');
    hg(root, ['init', 'sub']);
  });

  it('does not replace one that is there, nor lets an address write settings', () => {
    using folder = temporaryFolder('new');
    const root = join(folder.path, 'r');
    const requirements = requirementsOfClone(streamed);
    createRepository(root, { requirements, defaultPath: 'http://x/\n[hooks]\nupdate = touch /tmp/x' });
    deepEqual([...readHgrc(join(root, '.hg', 'hgrc')).keys()], ['paths']);
    throws(() => createRepository(root, { requirements }), { code: 'EEXIST' });
  });
});
