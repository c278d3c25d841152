import { deepEqual, equal, throws } from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { locateRepository } from '../../../src/engine/store/repositoryFolders';
import {
  checkRequirements,
  formatRequirements,
  parseRequirements,
  readRequirements,
  requirementsOfClone,
  storeLayout,
  writeRequirements,
} from '../../../src/engine/store/requirements';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';

const withOptions = {
  'as hg makes it': [],
  'without share-safe': ['--config', 'format.use-share-safe=no'],
  'with bookmarks in the store': ['--config', 'format.bookmarks-in-store=yes'],
  'with zlib, without sparse revlogs': [
    '--config',
    'format.revlog-compression=zlib',
    '--config',
    'format.sparse-revlog=no',
  ],
  'without dotencode': ['--config', 'format.dotencode=no'],
  'without fncache': ['--config', 'format.usefncache=no'],
  'with dirstate-v2': ['--config', 'format.use-dirstate-v2=yes', '--config', 'storage.dirstate-v2.slow-path=allow'],
  'with a hint for tracked files': ['--config', 'format.use-dirstate-tracked-hint=yes'],
  'with sparse': ['--config', 'extensions.sparse='],
};

describe('requirements', () => {
  for (const [kind, options] of Object.entries(withOptions)) {
    it(`are read and written as hg does in a repository ${kind}`, () => {
      using folder = temporaryFolder('requirements');
      hg(folder.path, ['init', 'r', ...options]);
      const theirs = join(folder.path, 'r', '.hg');
      const requirements = readRequirements(theirs);
      deepEqual(
        [...requirements].sort(),
        hgText(folder.path, ['-R', 'r', 'debugrequires', ...options])
          .split('\n')
          .sort(),
      );

      const ours = join(folder.path, 'ours', '.hg');
      mkdirSync(join(ours, 'store'), { recursive: true });
      writeRequirements(ours, requirements);
      equal(readFileSync(join(ours, 'requires'), 'latin1'), readFileSync(join(theirs, 'requires'), 'latin1'));
      if (!requirements.has('share-safe')) return;
      equal(
        readFileSync(join(ours, 'store', 'requires'), 'latin1'),
        readFileSync(join(theirs, 'store', 'requires'), 'latin1'),
      );
    });
  }

  it('of a share are those of the repository it shares with, and so is the store', () => {
    for (const relative of [[], ['--relative']]) {
      using folder = temporaryFolder('share');
      hg(folder.path, ['init', 'source']);
      hg(folder.path, ['--config', 'extensions.share=', 'share', '-U', ...relative, 'source', 'shared']);
      const shared = locateRepository(join(folder.path, 'shared'));
      equal(shared.store, join(folder.path, 'source', '.hg', 'store'));
      equal(shared.requirements.has('revlogv1'), true);
      equal(shared.layout, 'dotencode');
      checkRequirements(shared.requirements, 'checkout', 'the repository');
    }
  });

  it('tell how names are encoded', () => {
    equal(storeLayout(new Set(['store'])), 'store');
    equal(storeLayout(new Set(['store', 'fncache'])), 'fncache');
    equal(storeLayout(new Set(['store', 'fncache', 'dotencode'])), 'dotencode');
    throws(() => storeLayout(new Set(['revlogv1'])), { kind: 'unsupported', subject: 'store' });
  });

  const refused = {
    treemanifest: /each folder/,
    'narrowhg-experimental': /narrow/,
    lfs: /LFS/,
    largefiles: /largefiles/,
    'exp-changelog-v2': /changelog v2/,
    'exp-revlogv2.2': /revlog v2/,
    'exp-something-new': /does not know/,
  };
  for (const [name, words] of Object.entries(refused)) {
    it(`refuse ${name} by name`, () => {
      throws(() => checkRequirements(['revlogv1', name], 'read', 'the repository'), {
        kind: 'unsupported',
        subject: name,
        message: words,
      });
      throws(() => requirementsOfClone(['revlogv1', name]), { kind: 'unsupported', subject: name });
    });
  }

  it('of the working copy only stand in the way of a checkout', () => {
    for (const name of ['dirstate-v2', 'dirstate-tracked-key-v1', 'exp-sparse']) {
      checkRequirements([name], 'store', 'the repository');
      throws(() => checkRequirements([name], 'checkout', 'the repository'), { kind: 'unsupported', subject: name });
    }
  });

  it('of a clone are the layout of today and the revlogs of the stream', () => {
    deepEqual(
      formatRequirements(requirementsOfClone(['generaldelta', 'revlogv1'])),
      'dotencode\nfncache\ngeneraldelta\nrevlogv1\nshare-safe\nstore\n',
    );
  });

  it('are refused as a file when a line is no name', () => {
    deepEqual([...parseRequirements('')], []);
    for (const text of ['revlogv1\n-x\n', 'a b\n', '\x00\n', '<html>\n', 'x\r\n']) {
      throws(() => parseRequirements(text), { kind: 'corrupt' }, JSON.stringify(text));
    }
  });
});
