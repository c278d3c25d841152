import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allObjects, git, initRepository, temporaryFolder } from '../../fixtures/gitRepository';
import { buildDelta, buildPack, nameOf } from '../../fixtures/packBuilder';
import { randomBytesOf } from '../../fixtures/sourceHistory';
import { unpackHere } from '../../fixtures/unpackHere';
import { assertNothingTemporary, assertSound } from '../../fixtures/soundRepository';

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
