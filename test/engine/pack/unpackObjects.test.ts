import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgressEvent } from '../../../src/engine/io/operation';
import { unattended } from '../../../src/engine/io/operation';
import { allObjects, fastImport, git, gitLines, initRepository, temporaryFolder } from '../../fixtures/gitRepository';
import { buildDelta, buildPack, nameOf } from '../../fixtures/packBuilder';
import { pseudoRandom, randomBytesOf, sourceHistory } from '../../fixtures/sourceHistory';
import { chunksOf, unpackHere } from '../../fixtures/unpackHere';

/** `git fsck` speaks of missing heads in a repository of objects alone; anything else is a fault. */
function assertSound(repository: string): void {
  const lines = gitLines(repository, ['fsck', '--full', '--no-dangling', '--no-reflogs']);
  assert.deepEqual(lines, []);
}

function assertNothingTemporary(repository: string): void {
  const names = readdirSync(join(repository, 'objects'), { recursive: true }).map(String);
  assert.deepEqual(
    names.filter((name) => name.includes('tmp_')),
    [],
  );
}

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

describe('unpacking packs that git would not make', () => {
  const folder = temporaryFolder();
  let made = 0;
  const target = () => initRepository(join(folder.path, `target${made++}.git`));
  after(() => folder[Symbol.dispose]());

  const blob = (text: string) => ({ kind: 'blob' as const, content: Buffer.from(text) });
  const append = (base: string, text: string) =>
    buildDelta(base.length, base.length + text.length, [{ copy: [0, base.length] }, { insert: text }]);

  async function assertLikeGit(pack: Buffer): Promise<void> {
    const [ours, theirs] = [target(), target()];
    git(theirs, ['unpack-objects', '-q'], pack);
    await unpackHere(pack, ours);
    assert.deepEqual(allObjects(ours), allObjects(theirs));
    assertSound(ours);
    assertNothingTemporary(ours);
  }

  it('resolves deltas whose bases come after them, in any order', async () => {
    const texts = ['base', 'base-1', 'base-1-2', 'base-1-2-3'];
    const deltas = [1, 2, 3].map((at) => ({
      delta: append(texts[at - 1], texts[at].slice(texts[at - 1].length)),
      baseName: nameOf('blob', Buffer.from(texts[at - 1])),
    }));
    await assertLikeGit(buildPack([deltas[2], deltas[1], deltas[0], blob('base')]));
    await assertLikeGit(buildPack([deltas[1], blob('base'), deltas[2], deltas[0]]));
    // A delta by offset on one that waits itself.
    await assertLikeGit(buildPack([deltas[0], { delta: append('base-1', '-x'), base: 0 }, blob('base')]));
  });

  it('resolves 5,000 deltas that all wait for the last object, without recursion', async () => {
    const entries = [];
    let text = 'start';
    for (let step = 0; step < 5000; step++) {
      const next = step % 100 === 99 ? 'again' : `${text}${step % 10}`;
      const delta =
        step % 100 === 99 ? buildDelta(text.length, 5, [{ insert: 'again' }]) : append(text, String(step % 10));
      entries.push(step === 0 ? { delta, baseName: nameOf('blob', Buffer.from('start')) } : { delta, base: step - 1 });
      text = next;
    }
    const repository = target();
    const report = await unpackHere(buildPack([...entries, blob('start')]), repository);
    assert.equal(report.deltas, 5000);
    assert.ok(allObjects(repository).some((line) => line.startsWith(nameOf('blob', Buffer.from(text)))));
    assertSound(repository);
  });

  it('takes the same object twice, whole and as a delta', async () => {
    await assertLikeGit(
      buildPack([blob('twice'), blob('twice'), blob('twi'), { delta: append('twi', 'ce'), base: 2 }]),
    );
  });

  it('takes empty objects, and content that was not compressed', async () => {
    await assertLikeGit(
      buildPack([
        blob(''),
        { kind: 'tree', content: Buffer.alloc(0) },
        { kind: 'blob', content: Buffer.alloc(200_000, 'not compressed '), level: 0 },
        { kind: 'blob', content: randomBytesOf(200_000), level: 0 },
        { kind: 'blob', content: randomBytesOf(3000), level: 9 },
      ]),
    );
  });

  it('deflates what the pack did not, unless that gains nothing', async () => {
    const text = Buffer.alloc(3_000_000, 'text that repeats itself ');
    for (const bigFileThreshold of [100_000, 100_000_000]) {
      const repository = target();
      const pack = buildPack([
        { kind: 'blob', content: text, level: 0 },
        { kind: 'blob', content: randomBytesOf(3_000_000), level: 0 },
      ]);
      const report = await unpackHere(pack, repository, { bigFileThreshold });
      assert.ok(report.looseBytes > 3_000_000 && report.looseBytes < 3_200_000, String(report.looseBytes));
      assertSound(repository);
    }
  });

  it('streams what is above the threshold, and the result is the same', async () => {
    const random = randomBytesOf(2_500_000, 9);
    const text = Buffer.alloc(2_500_000, 'something that deflates well, ');
    const deltaOnLarge = buildDelta(random.length, random.length + 3, [
      { copy: [0, 1_000_000] },
      { insert: 'new' },
      { copy: [1_000_000, 1_500_000] },
    ]);
    const large = Buffer.concat([random.subarray(0, 1_000_000), Buffer.from('new'), random.subarray(1_000_000)]);
    const entries = [
      { kind: 'blob' as const, content: random },
      { kind: 'blob' as const, content: text },
      { delta: deltaOnLarge, base: 0 },
      { delta: buildDelta(large.length, 4, [{ copy: [999_999, 4] }]), base: 2 },
      { delta: buildDelta(large.length, 2_000_000, [{ insert: randomBytesOf(2_000_000, 4) }]), base: 2 },
    ];
    const pack = buildPack(entries);
    for (const bigFileThreshold of [50_000, 2_000_000, 1_000_000_000]) {
      const repository = target();
      const report = await unpackHere(pack, repository, { bigFileThreshold });
      assert.equal(report.streamedObjects, { 50_000: 4, 2_000_000: 3, 1_000_000_000: 0 }[bigFileThreshold]);
      const name = nameOf('blob', large);
      assert.ok(git(repository, ['cat-file', 'blob', name]).equals(large));
      assert.equal(allObjects(repository).length, 5);
      assertSound(repository);
      assertNothingTemporary(repository);
    }
  });

  it('writes an object that is streamed twice, or that is there, once', async () => {
    const content = randomBytesOf(1_500_000, 2);
    const pack = buildPack([
      { kind: 'blob', content },
      { kind: 'blob', content },
    ]);
    const repository = target();
    assert.equal((await unpackHere(pack, repository, { bigFileThreshold: 1000 })).written, 1);
    const again = await unpackHere(pack, repository, { bigFileThreshold: 1000 });
    assert.deepEqual([again.written, again.existing], [0, 2]);
    assertSound(repository);
  });

  it('reads a base again that the cache had to let go', async () => {
    // More than the cache holds lies between the base and its delta.
    const between = Array.from({ length: 30 }, (_, seed) => ({
      kind: 'blob' as const,
      content: Buffer.alloc(1_000_000, `${seed} `),
    }));
    await assertLikeGit(buildPack([blob('far away'), ...between, { delta: append('far away', ', indeed'), base: 0 }]));
  });

  it('keeps waiting deltas on the disk when they are many', async () => {
    const base = 'base of them all';
    const inserts = Array.from({ length: 24 }, (_, seed) => randomBytesOf(850_000, seed + 1));
    const deltas = inserts.map((bytes) => ({
      delta: buildDelta(base.length, bytes.length, [{ insert: bytes }]),
      baseName: nameOf('blob', Buffer.from(base)),
    }));
    const repository = target();
    await unpackHere(buildPack([...deltas, blob(base)]), repository);
    assert.deepEqual(
      allObjects(repository).map((line) => line.slice(0, 40)),
      [base, ...inserts].map((bytes) => nameOf('blob', Buffer.from(bytes))).sort(),
    );
  });

  it('reads the settings of the repository', async () => {
    const repository = target();
    git(repository, ['config', 'core.bigFileThreshold', '1k']);
    git(repository, ['config', 'core.looseCompression', '0']);
    const report = await unpackHere(
      buildPack([blob('x'.repeat(5000)), { delta: append('x'.repeat(5000), 'y'), base: 0 }]),
      repository,
    );
    assert.equal(report.bigFileThreshold, 1024);
    assert.ok(report.looseBytes > 5000);
    assert.match(readFileSync(join(repository, 'config'), 'utf8'), /1k/);
  });
});

function splitName(line: string): [string, string] {
  return [line.slice(0, 2), line.split(' ')[0].slice(2)];
}
