import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgressEvent } from '../../../src/engine/io/operation';
import { unattended } from '../../../src/engine/io/operation';
import { allObjects, fastImport, git, gitLines, initRepository, temporaryFolder } from '../../fixtures/gitRepository';
import { pseudoRandom, sourceHistory } from '../../fixtures/sourceHistory';
import { chunksOf, unpackHere } from '../../fixtures/unpackHere';
import { assertNothingTemporary, assertSound } from '../../fixtures/soundRepository';

describe('unpacking packs that git made', () => {
  const folder = temporaryFolder();
  const source = join(folder.path, 'source.git');
  let made = 0;
  const target = (format: 'sha1' | 'sha256' = 'sha1') =>
    initRepository(join(folder.path, `target${made++}.git`), format);
  const packOf = (args: string[], input = '', repository = source) =>
    git(
      repository,
      ['pack-objects', '--stdout', '--revs', '--quiet', ...args, ...(input === '' ? ['--all'] : [])],
      input,
    );

  /** Unpacks with git and with the engine, and compares. */
  async function assertLikeGit(
    pack: Uint8Array,
    prepare: (repository: string) => void = () => undefined,
  ): Promise<string> {
    const theirs = target();
    const ours = target();
    prepare(theirs);
    prepare(ours);
    git(theirs, ['unpack-objects', '-q'], pack);
    await unpackHere(pack, ours);
    assert.deepEqual(allObjects(ours), allObjects(theirs));
    assertSound(ours);
    assertNothingTemporary(ours);
    return ours;
  }

  before(async () => {
    initRepository(source);
    await fastImport(source, sourceHistory({ commits: 120, files: 40 }));
    git(source, ['tag', '-a', '-m', 'A tag', 'v1', 'main']);
    git(source, ['tag', '-a', '-m', 'A tag of a tag', 'v1-again', 'v1']);
    git(source, ['branch', 'older', 'main~20']);
    const empty = git(source, ['hash-object', '-w', '--stdin'], '').toString().trim();
    const emptyTree = git(source, ['mktree'], '').toString().trim();
    const tree = git(source, ['mktree'], `100644 blob ${empty}\tempty\n40000 tree ${emptyTree}\tnothing\n`)
      .toString()
      .trim();
    git(source, [
      'update-ref',
      'refs/heads/empty',
      git(source, ['commit-tree', '-m', 'Empty', tree]).toString().trim(),
    ]);
  });
  after(() => folder[Symbol.dispose]());

  it('gives the same objects for deltas by offset', async () => {
    await assertLikeGit(packOf(['--delta-base-offset']));
  });

  it('gives the same objects for deltas by name', async () => {
    await assertLikeGit(packOf([]));
  });

  it('gives the same objects for a file as for a stream, whatever its chunks', async () => {
    const pack = packOf(['--delta-base-offset']);
    const path = join(folder.path, 'some.pack');
    writeFileSync(path, pack);
    const fromFile = target();
    await unpackHere(path, fromFile);
    for (const size of [7, 4099]) {
      const fromStream = target();
      const part = size === 7 ? packOf(['--delta-base-offset'], 'main~110\n') : pack;
      await unpackHere({ stream: chunksOf(part, size), name: 'stream' }, fromStream);
      if (size !== 7) assert.deepEqual(allObjects(fromStream), allObjects(fromFile));
      assertSound(fromStream);
    }
  });

  it('reports what git says of the repository', async () => {
    const repository = target();
    const report = await unpackHere(packOf(['--delta-base-offset']), repository);
    const kinds = gitLines(repository, ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)']);
    const count = (kind: string) => kinds.filter((one) => one === kind).length;
    assert.deepEqual(report.kinds, {
      commit: count('commit'),
      tree: count('tree'),
      blob: count('blob'),
      tag: count('tag'),
    });
    assert.equal(report.objects, kinds.length);
    assert.equal(report.written, kinds.length);
    assert.ok(report.deltas > 0);
    const sizes = gitLines(repository, ['cat-file', '--batch-all-objects', '--batch-check=%(objectsize)']);
    assert.equal(
      report.objectBytes,
      sizes.reduce((sum, size) => sum + Number(size), 0),
    );
  });

  it('resolves chains of 250 deltas', async () => {
    const deep = initRepository(join(folder.path, 'deep.git'));
    const random = pseudoRandom(5);
    const lines = Array.from({ length: 200 }, () => String(random()));
    await fastImport(
      deep,
      (function* () {
        for (let commit = 0; commit < 300; commit++) {
          lines[Math.floor(random() * lines.length)] = String(random());
          const text = lines.join('\n');
          yield `commit refs/heads/main\ncommitter t <t@e> ${commit} +0000\ndata 0\nM 100644 inline file\ndata ${text.length}\n${text}\n`;
        }
      })(),
    );
    for (const form of [['--delta-base-offset'], []]) {
      const pack = packOf(['--depth=250', '--window=300', '--no-reuse-delta', ...form], '', deep);
      const repository = target();
      await unpackHere(pack, repository);
      assert.deepEqual(allObjects(repository), allObjects(deep));
      assertSound(repository);
    }
  });

  it('unpacks a repository of SHA-256', async () => {
    const modern = initRepository(join(folder.path, 'modern.git'), 'sha256');
    await fastImport(modern, sourceHistory({ commits: 30, files: 20 }));
    for (const form of [['--delta-base-offset'], []]) {
      const repository = target('sha256');
      await unpackHere(packOf(form, '', modern), repository);
      assert.deepEqual(allObjects(repository), allObjects(modern));
      assertSound(repository);
    }
  });

  it('unpacks an empty pack', async () => {
    const repository = target();
    const report = await unpackHere(git(source, ['pack-objects', '--stdout', '-q'], ''), repository);
    assert.equal(report.objects, 0);
    assert.deepEqual(allObjects(repository), []);
  });

  describe('that are thin', () => {
    const thin = () => packOf(['--thin', '--delta-base-offset'], 'main\n^main~20\n');
    const older = () => packOf(['--delta-base-offset'], 'main~20\n');

    it('take their bases from loose objects', async () => {
      await assertLikeGit(thin(), (repository) => git(repository, ['unpack-objects', '-q'], older()));
    });

    for (const version of ['1', '2', '2,0x40']) {
      it(`take their bases from a pack with an index of version ${version}`, async () => {
        await assertLikeGit(thin(), (repository) =>
          git(repository, ['index-pack', '--stdin', '--fix-thin', `--index-version=${version}`], older()),
        );
      });
    }

    it('take their bases from alternates, and from alternates of those', async () => {
      const first = target();
      const second = target();
      git(first, ['index-pack', '--stdin'], older());
      writeFileSync(join(second, 'objects/info/alternates'), `# a comment\n\n${join(first, 'objects')}\n`);
      await assertLikeGit(thin(), (repository) => {
        writeFileSync(join(repository, 'objects/info/alternates'), '../../target_link/objects\n');
        if (!existsSync(join(folder.path, 'target_link')))
          git('.', ['init', '-q', '--bare', join(folder.path, 'target_link')]);
        writeFileSync(join(folder.path, 'target_link/objects/info/alternates'), `${join(second, 'objects')}\n`);
      });
    });

    it('are refused where a base is missing, with its name and the place', async () => {
      const repository = target();
      await assert.rejects(unpackHere(thin(), repository), {
        kind: 'integrity',
        message: /neither in the pack nor in the repository/,
      });
      assert.deepEqual(allObjects(repository), []);
      assertNothingTemporary(repository);
    });
  });

  it('takes bundles of version 2 and 3, with and without what they build on', async () => {
    const bundle = (version: number, ...refs: string[]) => {
      const path = join(folder.path, `v${version}-${refs.length}.bundle`);
      git(source, ['bundle', 'create', '-q', `--version=${version}`, path, ...refs]);
      return path;
    };
    for (const version of [2, 3]) {
      const repository = target();
      const report = await unpackHere(bundle(version, 'older'), repository);
      assert.equal(report.bundle?.version, version);
      const later = bundle(version, 'main', '^main~20');
      const fresh = target();
      await assert.rejects(unpackHere(later, fresh), { kind: 'destination', message: /builds on/ });
      const second = await unpackHere(later, repository);
      assert.deepEqual(
        second.bundle?.prerequisites.map(({ name }) => name),
        [git(source, ['rev-parse', 'main~20']).toString().trim()],
      );
      assert.deepEqual(second.bundle.references, [
        { name: git(source, ['rev-parse', 'main']).toString().trim(), reference: 'refs/heads/main' },
      ]);
      assertSound(repository);
      git(repository, ['update-ref', 'refs/heads/main', second.bundle.references[0].name]);
      assertSound(repository);
    }
    const modern = initRepository(join(folder.path, 'modern-bundle.git'), 'sha256');
    await fastImport(modern, sourceHistory({ commits: 5, files: 5 }));
    const path = join(folder.path, 'sha256.bundle');
    git(modern, ['bundle', 'create', '-q', path, '--all']);
    const repository = target('sha256');
    await unpackHere(path, repository);
    assert.deepEqual(allObjects(repository), allObjects(modern));
    await assert.rejects(unpackHere(path, target()), { kind: 'unsupported', message: /sha256/ });
  });

  it('leaves objects alone that are there, loose or packed', async () => {
    const pack = packOf(['--delta-base-offset']);
    const repository = target();
    await unpackHere(pack, repository);
    const looseFile = join(repository, 'objects', ...splitName(allObjects(repository)[0]));
    const before = statSync(looseFile);
    const again = await unpackHere(pack, repository);
    assert.equal(again.written, 0);
    assert.equal(again.existing, again.objects);
    assert.equal(statSync(looseFile).ino, before.ino);

    const packed = target();
    git(packed, ['index-pack', '--stdin'], pack);
    const skipped = await unpackHere(pack, packed);
    assert.equal(skipped.written, 0);
    assert.match(git(packed, ['count-objects']).toString(), /^0 objects/);
  });

  it('keeps files and folders as git does', async () => {
    const pack = packOf(['--delta-base-offset'], 'main~118\n');
    const ours = await assertLikeGit(pack);
    const theirs = target();
    git(theirs, ['unpack-objects', '-q'], pack);
    const [folderName, fileName] = splitName(allObjects(ours)[0]);
    for (const path of [folderName, join(folderName, fileName)]) {
      assert.equal(statSync(join(ours, 'objects', path)).mode, statSync(join(theirs, 'objects', path)).mode);
    }
    const shared = target();
    git(shared, ['config', 'core.sharedRepository', 'group']);
    const theirShared = target();
    git(theirShared, ['config', 'core.sharedRepository', 'group']);
    await unpackHere(pack, shared);
    git(theirShared, ['unpack-objects', '-q'], pack);
    for (const path of [folderName, join(folderName, fileName)]) {
      assert.equal(
        statSync(join(shared, 'objects', path)).mode,
        statSync(join(theirShared, 'objects', path)).mode,
        path,
      );
    }
  });

  it('finds the objects of a working tree and of a linked one', async () => {
    const main = join(folder.path, 'work');
    git('.', ['init', '-q', '--initial-branch=main', main]);
    git(main, ['commit', '-q', '--allow-empty', '-m', 'first']);
    git(main, ['worktree', 'add', '-q', join(folder.path, 'linked')]);
    await unpackHere(packOf(['--delta-base-offset'], 'main~119\n'), join(folder.path, 'linked'));
    assert.equal(
      git(main, ['cat-file', '-t', git(source, ['rev-parse', 'main~119']).toString().trim()]).toString(),
      'commit\n',
    );
  });

  it('tells its progress: bytes and objects rise to their totals', async () => {
    const events: ProgressEvent[] = [];
    const pack = packOf(['--delta-base-offset']);
    await unpackHere(pack, target(), {}, { ...unattended, progress: (event) => events.push(event) });
    const reads = events.filter((event) => event.type === 'phase' && event.phase === 'read');
    const last = reads.at(-1);
    assert.ok(
      last?.type === 'phase' && last.state === 'done' && last.done === pack.length && last.total === pack.length,
    );
    assert.ok(events.some((event) => event.type === 'note' && event.name === 'kinds'));
    assert.ok(
      events.some((event) => event.type === 'note' && event.name === 'peak memory' && Number(event.value) > 1_000_000),
    );
  });

  it('stops when it is told to, and leaves nothing', async () => {
    const repository = target();
    const abort = new AbortController();
    const operation = { ...unattended, signal: abort.signal };
    const stream = (async function* () {
      const pack = packOf(['--delta-base-offset']);
      yield pack.subarray(0, pack.length >> 1);
      abort.abort();
      await Promise.resolve();
      yield pack.subarray(pack.length >> 1);
    })();
    await assert.rejects(unpackHere({ stream, name: 'stream' }, repository, {}, operation), { kind: 'cancelled' });
    assert.deepEqual(allObjects(repository), []);
    assertNothingTemporary(repository);
  });
});

function splitName(line: string): [string, string] {
  return [line.slice(0, 2), line.split(' ')[0].slice(2)];
}
