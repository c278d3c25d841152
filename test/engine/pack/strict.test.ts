import assert from 'node:assert/strict';
import { join } from 'node:path';
import { allObjects, fastImport, git, initRepository, temporaryFolder, tryGit } from '../../fixtures/gitRepository';
import { buildPack, nameOf, type PackEntry } from '../../fixtures/packBuilder';
import { sourceHistory } from '../../fixtures/sourceHistory';
import { unpackHere } from '../../fixtures/unpackHere';

describe('strict unpacking', () => {
  const folder = temporaryFolder();
  let made = 0;
  const target = () => initRepository(join(folder.path, `target${made++}.git`));
  after(() => folder[Symbol.dispose]());

  const blob = { kind: 'blob' as const, content: Buffer.from('content') };
  const raw = (entries: [string, string, string][]) =>
    Buffer.concat(
      entries.map(([mode, name, hex]) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(hex, 'hex')]),
      ),
    );
  const blobName = nameOf('blob', blob.content);
  const tree = (...entries: [string, string, string][]) => ({ kind: 'tree' as const, content: raw(entries) });
  const good = tree(['100644', 'file', blobName]);
  const treeName = nameOf('tree', good.content);
  const person = 'A U Thor <a@example.com> 1700000000 +0000';
  const commit = (text: string) => ({ kind: 'commit' as const, content: Buffer.from(text) });
  const goodCommit = commit(`tree ${treeName}\nauthor ${person}\ncommitter ${person}\n\nmessage\n`);
  const commitName = nameOf('commit', goodCommit.content);
  const tag = (text: string) => ({ kind: 'tag' as const, content: Buffer.from(text) });

  it('takes what git takes', async () => {
    const source = initRepository(join(folder.path, 'source.git'));
    await fastImport(source, sourceHistory({ commits: 60, files: 30 }));
    git(source, ['tag', '-a', '-m', 'A tag', 'v1', 'main']);
    const pack = git(source, ['pack-objects', '--stdout', '--all', '-q'], '');
    const repository = target();
    await unpackHere(pack, repository, { strict: true });
    assert.deepEqual(allObjects(repository), allObjects(source));
    // What the pack names may also be in the repository.
    const thin = git(source, ['pack-objects', '--stdout', '--revs', '--thin', '-q'], 'main\n^main~10\n');
    const older = git(source, ['pack-objects', '--stdout', '--revs', '-q'], 'main~10\n');
    const second = target();
    await unpackHere(older, second, { strict: true });
    await unpackHere(thin, second, { strict: true });
    git(second, ['fsck', '--full']);
  });

  const zeros = '0'.repeat(40);
  const refused: [string, string, PackEntry[]][] = [
    ['a tree out of order', 'treeNotSorted', [blob, tree(['100644', 'b', blobName], ['100644', 'a', blobName])]],
    [
      'a folder out of order',
      'treeNotSorted',
      [blob, good, tree(['40000', 'a', treeName], ['100644', 'a.b', blobName])],
    ],
    ['a name twice', 'duplicateEntries', [blob, tree(['100644', 'a', blobName], ['100644', 'a', blobName])]],
    [
      'a file and a folder of one name',
      'duplicateEntries',
      [blob, good, tree(['100644', 'a', blobName], ['100644', 'a.b', blobName], ['40000', 'a', treeName])],
    ],
    ['a path for a name', 'fullPathname', [blob, tree(['100644', 'a/b', blobName])]],
    ['no name', 'emptyName', [blob, tree(['100644', '', blobName])]],
    ['.git for a name', 'hasDotgit', [blob, tree(['100644', '.git', blobName])]],
    ['.GIT for a name', 'hasDotgit', [blob, tree(['100644', '.GIT', blobName])]],
    ['git~1 for a name', 'hasDotgit', [blob, tree(['100644', 'git~1', blobName])]],
    ['.git with a character that HFS+ ignores', 'hasDotgit', [blob, tree(['100644', '.g\xe2\x80\x8cit', blobName])]],
    ['.. for a name', 'hasDotdot', [blob, tree(['100644', '..', blobName])]],
    ['. for a name', 'hasDot', [blob, tree(['100644', '.', blobName])]],
    ['a mode with zeros', 'zeroPaddedFilemode', [blob, good, tree(['040000', 'a', treeName])]],
    ['a null name', 'nullSha1', [tree(['100644', 'a', zeros])]],
    ['a tree that is cut', 'badTree', [blob, { kind: 'tree', content: good.content.subarray(0, -1) }]],
    ['a commit without tree', 'missingTree', [commit(`author ${person}\ncommitter ${person}\n\n`)]],
    [
      'a commit with half a tree',
      'badTreeSha1',
      [commit(`tree ${treeName.slice(1)}\nauthor ${person}\ncommitter ${person}\n\n`)],
    ],
    [
      'a commit with half a parent',
      'badParentSha1',
      [blob, good, commit(`tree ${treeName}\nparent x\nauthor ${person}\ncommitter ${person}\n\n`)],
    ],
    ['a commit without author', 'missingAuthor', [blob, good, commit(`tree ${treeName}\ncommitter ${person}\n\n`)]],
    ['a commit without committer', 'missingCommitter', [blob, good, commit(`tree ${treeName}\nauthor ${person}\n\n`)]],
    [
      'a commit with a bad date',
      'badDate',
      [blob, good, commit(`tree ${treeName}\nauthor A <a> x +0000\ncommitter ${person}\n\n`)],
    ],
    ['a tag without object', 'missingObject', [tag(`type commit\ntag v1\ntagger ${person}\n\n`)]],
    [
      'a tag without type',
      'missingTypeEntry',
      [blob, good, goodCommit, tag(`object ${commitName}\ntag v1\ntagger ${person}\n\n`)],
    ],
    [
      'a tag of nothing known',
      'badType',
      [blob, good, goodCommit, tag(`object ${commitName}\ntype thing\ntag v1\ntagger ${person}\n\n`)],
    ],
  ];
  for (const [what, identifier, entries] of refused) {
    it(`refuses ${what}, as git does`, async () => {
      const pack = buildPack(entries);
      assert.notEqual(tryGit(target(), ['unpack-objects', '-q', '--strict'], pack).code, 0);
      const repository = target();
      await assert.rejects(unpackHere(pack, repository, { strict: true }), {
        kind: 'integrity',
        message: new RegExp(`not well formed: ${identifier}`),
      });
      assert.deepEqual(allObjects(repository), []);
    });
  }

  it('refuses links that lead nowhere, or to another kind, as git does', async () => {
    for (const [entries, message] of [
      [[good], /names the blob \w+, which is neither/],
      [[blob, goodCommit], /names the tree \w+, which is neither/],
      [[blob, tree(['40000', 'file', blobName])], /names the tree \w+, which is a blob/],
    ] as [PackEntry[], RegExp][]) {
      const pack = buildPack(entries);
      assert.notEqual(tryGit(target(), ['unpack-objects', '-q', '--strict'], pack).code, 0);
      const repository = target();
      await assert.rejects(unpackHere(pack, repository, { strict: true }), { kind: 'integrity', message });
      assert.deepEqual(allObjects(repository), []);
      await unpackHere(pack, repository);
    }
  });

  it('lets submodules be elsewhere', async () => {
    const pack = buildPack([blob, tree(['100644', 'file', blobName], ['160000', 'module', '1'.repeat(40)])]);
    git(target(), ['unpack-objects', '-q', '--strict'], pack);
    await unpackHere(pack, target(), { strict: true });
  });
});
