import { deepEqual, equal, rejects } from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unattended } from '../../../src/engine/io/operation';
import { locateRepository } from '../../../src/engine/store/repositoryFolders';
import { checkout } from '../../../src/engine/workingcopy/checkout';
import { resolveRevision } from '../../../src/engine/workingcopy/resolveRevision';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { handmadeRepository, type HandmadeFile } from '../../fixtures/handmadeRepository';
import { hgText } from '../../fixtures/hgCommand';

async function checkOut(root: string): Promise<void> {
  const repository = locateRepository(root);
  const revision = resolveRevision(repository);
  if (revision === undefined) throw new Error('nothing to check out');
  await checkout(repository, revision, unattended);
}

const plain = (path: string, content = 'content'): HandmadeFile => ({ path, content });
const link = (path: string, content: string): HandmadeFile => ({ path, content, flag: 'l' });

describe('a checkout of what somebody made who means harm', () => {
  it('is no different for what is harmless, which hg agrees with', async () => {
    using folder = temporaryFolder('hostile');
    const root = join(folder.path, 'r');
    handmadeRepository(root, [plain('a'), plain('sub/b'), link('c', 'a'), { path: 'x', content: '#!', flag: 'x' }]);
    await checkOut(root);
    equal(hgText(root, ['status', '--all']), 'C a\nC c\nC sub/b\nC x');
  });

  const hostile: Record<string, HandmadeFile[]> = {
    'a file in .hg': [plain('.hg/hgrc')],
    'a file in .HG': [plain('a'), plain('.HG/hgrc')],
    'a file in .hg with a point after it': [plain('.hg./hgrc')],
    'a file in .hg by its short name': [plain('HG~1/hgrc')],
    'a file in .hg with a sign that is not seen': [plain(Buffer.from('.h\u200cg/hgrc').toString('latin1'))],
    'a file in the .hg of a folder': [plain('sub/.hg/hgrc')],
    'a file above': [plain('../outside')],
    'a file above, from a folder': [plain('sub/../../outside')],
    'a file with an absolute path': [plain('/tmp/deltascope-outside')],
    'a file through a link': [link('sub', '..'), plain('sub/outside')],
    'a file through a link to .hg': [link('sub', '.hg'), plain('sub/hgrc')],
    'a link through a link': [link('sub', '..'), link('sub/outside', 'x')],
    'a link in .hg': [link('.hg/x', '/')],
  };
  for (const [what, files] of Object.entries(hostile)) {
    it(`refuses ${what}, and writes nothing at all`, async () => {
      using folder = temporaryFolder('hostile');
      const root = join(folder.path, 'r');
      handmadeRepository(root, files);
      const before = readdirSync(join(root, '.hg'));
      await rejects(checkOut(root), { kind: 'corrupt' });
      deepEqual(readdirSync(folder.path), ['r']);
      deepEqual(readdirSync(root), ['.hg']);
      deepEqual(readdirSync(join(root, '.hg')), before);
    });
  }

  it('refuses a path that is a file and a folder', async () => {
    using folder = temporaryFolder('hostile');
    const root = join(folder.path, 'r');
    handmadeRepository(root, [plain('a'), plain('a/b')]);
    await rejects(checkOut(root), { kind: 'destination', subject: 'a/b' });
  });

  it('refuses a path that is a link and, with another changeset behind it, a folder', async () => {
    using folder = temporaryFolder('hostile');
    const root = join(folder.path, 'r');
    handmadeRepository(root, [link('a', '..'), plain('b')]);
    mkdirSync(join(root, 'a'));
    await rejects(checkOut(root), { kind: 'destination', subject: 'a' });
  });

  it('makes a file of a link that could be none', async () => {
    using folder = temporaryFolder('hostile');
    const root = join(folder.path, 'r');
    handmadeRepository(root, [link('empty', ''), link('nul', 'a\0b')]);
    await checkOut(root);
    equal(readFileSync(join(root, 'nul'), 'latin1'), 'a\0b');
    equal(readFileSync(join(root, 'empty'), 'latin1'), '');
  });

  it('refuses a tree manifest by name', async () => {
    using folder = temporaryFolder('hostile');
    const root = join(folder.path, 'r');
    handmadeRepository(root, [{ path: 'sub', content: '', flag: 't' }]);
    await rejects(checkOut(root), { kind: 'unsupported', subject: 'treemanifest' });
  });

  it('refuses a content that is not what its hash stands for, and a history that is not there', async () => {
    using folder = temporaryFolder('hostile');
    const root = join(folder.path, 'r');
    handmadeRepository(root, [plain('a'), plain('b')]);
    const revlog = join(root, '.hg', 'store', 'data', 'b.i');
    const bytes = readFileSync(revlog);
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(revlog, bytes);
    await rejects(checkOut(root), { kind: 'integrity' });

    const other = join(folder.path, 'other');
    handmadeRepository(other, [plain('a')]);
    handmadeRepository(join(folder.path, 'third'), [plain('a', 'other content')]);
    writeFileSync(join(other, '.hg/store/data/a.i'), readFileSync(join(folder.path, 'third/.hg/store/data/a.i')));
    await rejects(checkOut(other), { kind: 'integrity', subject: 'a' });
    writeFileSync(join(other, '.hg/store/data/a.i'), '');
    await rejects(checkOut(other), { kind: 'integrity', subject: 'a' });
  });
});
