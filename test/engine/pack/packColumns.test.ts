import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { outsideBase } from '../../../src/engine/pack/packColumns';
import { summarizePack } from '../../../src/engine/pack/packSummary';
import { readPackColumns } from '../../../src/engine/pack/readPackColumns';
import { chainLengthLines, verifyPackLines } from '../../../src/engine/pack/verifyPackLines';
import { fastImport, git, gitLines, initRepository, temporaryFolder } from '../../fixtures/gitRepository';
import { buildDelta, buildPack, nameOf } from '../../fixtures/packBuilder';
import { randomBytesOf, sourceHistory } from '../../fixtures/sourceHistory';

describe('statistics of a pack', () => {
  const folder = temporaryFolder();
  const source = join(folder.path, 'source.git');
  let made = 0;

  before(async () => {
    initRepository(source);
    await fastImport(source, sourceHistory({ commits: 80, files: 30 }));
    git(source, ['tag', '-a', '-m', 'A tag', 'v1', 'main']);
  });
  after(() => folder[Symbol.dispose]());

  /** Puts a pack with its index into a new repository, and gives the pack's path. */
  function indexed(pack: Uint8Array, format: 'sha1' | 'sha256' = 'sha1', args: string[] = []): string {
    const repository = initRepository(join(folder.path, `indexed${made++}.git`), format);
    git(repository, ['index-pack', '--stdin', ...args], pack);
    const packs = join(repository, 'objects/pack');
    return join(
      packs,
      readdirSync(packs).find((name) => name.endsWith('.pack'))!,
    );
  }

  const packOf = (args: string[], repository = source) =>
    git(repository, ['pack-objects', '--stdout', '--all', '-q', '--no-reuse-delta', ...args], '');

  async function assertLikeVerifyPack(path: string, objectFormat = 'sha1'): Promise<void> {
    const columns = await readPackColumns(path, unattended);
    const theirs = gitLines(folder.path, ['verify-pack', '-v', `--object-format=${objectFormat}`, path]);
    assert.equal(theirs.pop(), `${path}: ok`);
    assert.deepEqual([...verifyPackLines(columns)], theirs);
    const lengths = gitLines(folder.path, ['verify-pack', '-s', `--object-format=${objectFormat}`, path]);
    assert.deepEqual([...chainLengthLines(columns)], lengths);
  }

  for (const [what, args, indexArgs] of [
    ['deltas by offset', ['--delta-base-offset'], []],
    ['deltas by name', [], []],
    ['chains of up to 250 deltas', ['--delta-base-offset', '--depth=250', '--window=200'], []],
    ['an index of version 1', ['--delta-base-offset'], ['--index-version=1']],
    ['long offsets in its index', ['--delta-base-offset'], ['--index-version=2,0x100']],
  ] as [string, string[], string[]][]) {
    it(`equals that of git verify-pack for ${what}`, async () => {
      await assertLikeVerifyPack(indexed(packOf(args), 'sha1', indexArgs));
    });
  }

  it('equals that of git verify-pack in a repository of SHA-256', async () => {
    const modern = initRepository(join(folder.path, 'modern.git'), 'sha256');
    await fastImport(modern, sourceHistory({ commits: 20, files: 20 }));
    await assertLikeVerifyPack(indexed(packOf(['--delta-base-offset'], modern), 'sha256'), 'sha256');
  });

  it('tells the sizes of the objects themselves, as git cat-file does', async () => {
    const path = indexed(packOf(['--delta-base-offset']));
    const columns = await readPackColumns(path, unattended);
    const names = gitLines(folder.path, ['verify-pack', '-v', path])
      .slice(0, columns.count)
      .map((line) => line.split(' ')[0]);
    const sizes = gitLines(source, ['cat-file', '--batch-check=%(objectsize)'], names.join('\n') + '\n');
    assert.deepEqual(Array.from(columns.objectSizes), sizes.map(Number));
    for (let entry = 0; entry < columns.count; entry++) {
      const base = columns.bases[entry];
      const expected = base < 0 ? columns.packedSizes[entry] : columns.chainSizes[base] + columns.packedSizes[entry];
      assert.equal(columns.chainSizes[entry], expected);
      assert.equal(columns.depths[columns.roots[entry]], 0);
    }
  });

  it('is the same without an index, and for the pack in a bundle', async () => {
    for (const args of [['--delta-base-offset'], []]) {
      const path = indexed(packOf(args));
      const alone = join(folder.path, `alone${made++}.pack`);
      copyFileSync(path, alone);
      const bundle = join(folder.path, `some${made++}.bundle`);
      writeFileSync(bundle, `# v2 git bundle\n${'1'.repeat(40)} refs/heads/main\n\n`);
      writeFileSync(bundle, readFileSync(path), { flag: 'a' });
      const expected = [...verifyPackLines(await readPackColumns(path, unattended))];
      assert.deepEqual([...verifyPackLines(await readPackColumns(alone, unattended))], expected);
      assert.deepEqual([...verifyPackLines(await readPackColumns(bundle, unattended))], expected);
    }
  });

  it('sums up: kinds, chains, the largest and the worst', async () => {
    const random = randomBytesOf(50_000);
    const text = Buffer.alloc(90_000, 'text that deflates ');
    const pack = buildPack([
      { kind: 'blob', content: random, level: 9 },
      { kind: 'blob', content: text },
      { kind: 'blob', content: Buffer.alloc(5000, 'stored '), level: 0 },
      {
        delta: buildDelta(text.length, text.length + 1, [
          { copy: [0, 65_536] },
          { copy: [65_536, 24_464] },
          { insert: '!' },
        ]),
        base: 1,
      },
    ]);
    const summary = summarizePack(await readPackColumns(indexed(pack), unattended), 2);
    assert.equal(summary.packBytes, pack.length);
    assert.deepEqual(summary.chainLengths, [3, 1]);
    assert.deepEqual([summary.whole, summary.offsetDeltas, summary.nameDeltas], [3, 1, 0]);
    assert.equal(summary.kinds.blob.objectBytes, random.length + text.length * 2 + 1 + 5000);
    assert.equal(summary.largest[0].objectSize, text.length + 1);
    assert.equal(summary.largest[0].base, nameOf('blob', text));
    assert.deepEqual(
      summary.largestPacked.map(({ name }) => name),
      [nameOf('blob', random), nameOf('blob', Buffer.alloc(5000, 'stored '))],
    );
    assert.equal(summary.worstRatios.length, 2);
    assert.equal(summary.codings.stored.objects, 2);
    assert.equal(summary.deepest.length, 1);
  });

  it('tells of bases that are not in the pack', async () => {
    const missing = nameOf('blob', Buffer.from('elsewhere'));
    const base = Buffer.from('here');
    const pack = buildPack([
      { kind: 'blob', content: base },
      { delta: buildDelta(9, 4, [{ copy: [0, 4] }]), baseName: missing },
    ]);
    const repository = initRepository(join(folder.path, `thin${made++}.git`));
    git(repository, ['hash-object', '-w', '--stdin'], 'elsewhere');
    // The index that git makes is for a pack that it completed, so it goes with the entries that are in both.
    git(repository, ['index-pack', '--stdin', '--fix-thin'], pack);
    const packs = join(repository, 'objects/pack');
    const whole = readdirSync(packs).find((name) => name.endsWith('.pack'))!;
    const complete = await readPackColumns(join(packs, whole), unattended);
    assert.equal(complete.count, 3);
    assert.ok(!complete.bases.includes(outsideBase));
    await assert.rejects(readPackColumns(writeTemporary('thin.pack', pack), unattended), { kind: 'integrity' });
  });

  it('refuses an index that does not fit its pack', async () => {
    const path = indexed(packOf(['--delta-base-offset']));
    const index = path.replace(/pack$/, 'idx');
    const good = readFileSync(index);
    for (const [bytes, message] of [
      [good.subarray(0, 1000), /ends inside its first table/],
      [good.subarray(0, good.length - 1), /do not fit/],
      [Buffer.concat([good, Buffer.alloc(4096)]), /checksum/],
      [Buffer.concat([good, Buffer.alloc(80_000)]), /do not fit/],
      [withUint32(good, 4, 3), /version 3/],
      [withUint32(good, 8 + 4 * 7, 0xffff_ffff), /falls|do not fit/],
    ] as [Buffer, RegExp][]) {
      const copy = writeTemporary('bad.pack', readFileSync(path));
      writeFileSync(copy.replace(/pack$/, 'idx'), bytes);
      await assert.rejects(readPackColumns(copy, unattended), (error: Error) => message.test(error.message));
    }
    const other = writeTemporary('other.pack', readFileSync(indexed(packOf([]))));
    writeFileSync(other.replace(/pack$/, 'idx'), good);
    await assert.rejects(readPackColumns(other, unattended), { kind: 'integrity', message: /another pack/ });
  });

  it('meets an index that lies, and is sealed all the same, with an error of a kind', async () => {
    const path = indexed(packOf(['--delta-base-offset']));
    const good = readFileSync(path.replace(/pack$/, 'idx'));
    const count = (good.length - 8 - 1024 - 40) / 28;
    const offsetsAt = 8 + 1024 + count * 24;
    let refused = 0;
    for (let number = 0; number < 60; number++) {
      const lying = Buffer.from(good);
      lying[offsetsAt + number * 4 + (number % 4)] ^= 1 << (number % 8);
      createHash('sha1')
        .update(lying.subarray(0, -20))
        .digest()
        .copy(lying, lying.length - 20);
      const copy = writeTemporary('lying.pack', readFileSync(path));
      writeFileSync(copy.replace(/pack$/, 'idx'), lying);
      await readPackColumns(copy, unattended).catch((error: unknown) => {
        assert.ok(error instanceof EngineError && error.kind === 'corrupt', String(error));
        refused++;
      });
    }
    assert.ok(refused > 30);
  });

  function writeTemporary(name: string, bytes: Uint8Array): string {
    const path = join(folder.path, `${made++}-${name}`);
    writeFileSync(path, bytes);
    return path;
  }

  function withUint32(bytes: Buffer, at: number, value: number): Buffer {
    const copy = Buffer.from(bytes);
    copy.writeUInt32BE(value, at);
    return copy;
  }
});
