import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { UnpackReport } from '../../src/engine/pack/unpackPack';
import { allObjects, fastImport, git, gitLines, initRepository, temporaryFolder } from '../fixtures/gitRepository';
import { killUnpacks, temporaryIn } from '../fixtures/killedUnpacks';
import { buildPack } from '../fixtures/packBuilder';
import { randomBytesOf, sourceHistory } from '../fixtures/sourceHistory';
import { finished, UnpackProgram } from '../fixtures/unpackProgram';

const kills = 8;

describe('unpacking as a program, with threads', () => {
  const folder = temporaryFolder();
  const pack = join(folder.path, 'some.pack');
  let program: UnpackProgram;
  let expected: string[];
  let made = 0;
  const target = () => initRepository(join(folder.path, `target${made++}.git`));

  before(async () => {
    program = await UnpackProgram.build();
    const source = initRepository(join(folder.path, 'source.git'));
    await fastImport(source, sourceHistory({ commits: 300, files: 60 }));
    writeFileSync(pack, git(source, ['pack-objects', '--stdout', '--all', '-q', '--delta-base-offset'], ''));
    expected = allObjects(source);
  });
  after(() => {
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('gives the same objects with one thread as with several', async () => {
    for (const jobs of ['1', '2', '4']) {
      const repository = target();
      const run = await program.run(['--json', '--jobs', jobs, pack, '--into', repository]);
      assert.equal(run.code, 0, run.stderr);
      const report = JSON.parse(run.stdout) as UnpackReport;
      assert.equal(report.written, expected.length);
      assert.deepEqual(allObjects(repository), expected);
      assert.deepEqual(temporaryIn(repository), []);
      assert.deepEqual(gitLines(repository, ['fsck', '--full', '--no-dangling']), []);
    }
  });

  it('reads standard input, and tells people what it did', async () => {
    const repository = target();
    const run = await program.run(
      ['-', '--into', repository, '--strict', '--big-file-threshold', '1k'],
      readFileSync(pack),
    );
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /objects: 300 commits/);
    assert.match(run.stdout, /went through a buffer/);
    assert.deepEqual(allObjects(repository), expected);
  });

  it('says what is wrong with a pack, and with its own arguments', async () => {
    const repository = target();
    const bad = join(folder.path, 'bad.pack');
    writeFileSync(bad, buildPack([{ kind: 'blob', content: Buffer.from('x') }], { checksum: Buffer.alloc(20) }));
    const refused = await program.run([bad, '--into', repository]);
    assert.equal(refused.code, 1);
    assert.equal((JSON.parse(refused.stderr) as { kind: string }).kind, 'integrity');
    assert.deepEqual(allObjects(repository), []);
    for (const args of [
      ['--jobs', '0'],
      ['--big-file-threshold', 'much'],
    ]) {
      assert.notEqual((await program.run([...args, pack, '--into', repository])).code, 0);
    }
    assert.match((await program.run([join(folder.path, 'no.pack'), '--into', repository])).stderr, /does not exist/);
  });

  it(`leaves a sound repository when it is killed at ${kills} moments, and cleans up the next time`, async () => {
    await killUnpacks(program, { pack, repository: target(), objects: expected, kills });
  });

  it('leaves what git prune takes for its own', async () => {
    const repository = target();
    const abandoned = join(repository, 'objects', 'tmp_objdir-deltascope-elsewhere-1-abc');
    mkdirSync(join(abandoned, 'ab'), { recursive: true });
    writeFileSync(join(abandoned, 'ab', 'tmp_obj_x'), '');
    const run = await program.run([pack, '--into', repository]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(temporaryIn(repository).length, 1, 'what another machine left is not ours to remove');
    git(repository, ['prune', '--expire=now']);
    assert.deepEqual(temporaryIn(repository), []);
  });

  it('lets two processes unpack into one repository at once', async () => {
    const repository = target();
    const runs = await Promise.all(
      [1, 2, 3].map(() => program.run(['--json', '--jobs', '2', pack, '--into', repository])),
    );
    for (const run of runs) assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(allObjects(repository), expected);
    assert.deepEqual(temporaryIn(repository), []);
    assert.deepEqual(gitLines(repository, ['fsck', '--full', '--no-dangling']), []);
  });

  // Signals that a program can answer, and limits of file sizes, are not known on Windows.
  if (process.platform !== 'win32') {
    it('stops at once when it is interrupted, and leaves nothing', async () => {
      const repository = target();
      const child = program.start(['-', '--into', repository]);
      const ended = finished(child, readFileSync(pack).subarray(0, 50_000), { keepInputOpen: true });
      // Before that, it may still be loading its code.
      while (temporaryIn(repository).length === 0) await delay(20);
      const asked = performance.now();
      child.kill('SIGINT');
      const run = await ended;
      assert.ok(performance.now() - asked < 2000, 'it took its time');
      assert.match(run.stderr, /cancelled/);
      assert.deepEqual(temporaryIn(repository), []);
      assert.deepEqual(allObjects(repository), []);
    });

    it('ends when the pack is bad, also while its other side still waits', async () => {
      const child = program.start(['-', '--into', target()]);
      const run = await finished(child, Buffer.alloc(5000, 'no pack'), { keepInputOpen: true });
      assert.match(run.stderr, /corrupt/);
    });

    for (const [what, threshold] of [
      ['an object', '100m'],
      ['an object that is streamed', '100k'],
    ]) {
      it(`says so when the disk takes no more of ${what}`, async () => {
        const repository = target();
        const large = join(folder.path, 'large.pack');
        writeFileSync(large, buildPack([{ kind: 'blob', content: randomBytesOf(3_000_000) }]));
        // A limit of file sizes is the nearest to a full disk that needs no rights.
        const command = 'ulimit -f 1000; exec "$@"';
        const args = ['-c', command, 'sh', process.execPath, program.script, 'unpack', large, '--into', repository];
        const run = await finished(spawn('sh', [...args, '--big-file-threshold', threshold]));
        assert.equal(run.code, 1, run.stderr);
        assert.match(run.stderr, /"kind":"destination".*larger than this disk allows/);
        assert.deepEqual(temporaryIn(repository), []);
        assert.deepEqual(allObjects(repository), []);
      });
    }
  }
});
