import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError, type ErrorKind } from '../../src/engine/io/errors';
import { allObjects, fastImport, git, gitLines, initRepository, temporaryFolder } from '../fixtures/gitRepository';
import { buildDelta, buildPack, entryHeader, nameOf, type PackEntry } from '../fixtures/packBuilder';
import { pseudoRandom, randomBytesOf, sourceHistory } from '../fixtures/sourceHistory';
import { chunksOf, unpackHere } from '../fixtures/unpackHere';

describe('a pack that is damaged', () => {
  const folder = temporaryFolder();
  const repository = join(folder.path, 'target.git');
  let pack: Buffer;
  before(async () => {
    const source = initRepository(join(folder.path, 'source.git'));
    await fastImport(source, sourceHistory({ commits: 12, files: 12 }));
    // Both kinds of deltas, and every kind of object.
    git(source, ['tag', '-a', '-m', 'A tag', 'v1', 'main']);
    pack = git(source, ['pack-objects', '--stdout', '--all', '-q', '--delta-base-offset'], '');
    initRepository(repository);
  });
  after(() => folder[Symbol.dispose]());

  async function refusal(bytes: Uint8Array): Promise<EngineError> {
    const error: unknown = await unpackHere(bytes, repository).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof EngineError, `not refused, or not with a kind: ${String(error)}`);
    assert.deepEqual(readdirSync(join(repository, 'objects')).sort(), ['info', 'pack']);
    return error;
  }

  it('is refused wherever it is cut, with the offset where it ended', async () => {
    const random = pseudoRandom(11);
    const cuts = Array.from({ length: 300 }, () => Math.floor(random() * pack.length));
    for (const cut of [0, 1, 3, 4, 11, 12, 13, pack.length - 20, pack.length - 1, ...cuts]) {
      const error = await refusal(pack.subarray(0, cut));
      assert.equal(error.kind, 'corrupt', `cut at ${cut}: ${error.message}`);
      assert.equal(error.offset, cut, `cut at ${cut}: ${error.message}`);
    }
  });

  it('is refused whichever byte is changed', async () => {
    const random = pseudoRandom(12);
    for (let round = 0; round < 500; round++) {
      const changed = Buffer.from(pack);
      const at = Math.floor(random() * pack.length);
      changed[at] ^= 1 + Math.floor(random() * 255);
      const error = await refusal(changed);
      const kinds: ErrorKind[] = ['corrupt', 'integrity', 'unsupported'];
      assert.ok(kinds.includes(error.kind), `${at}: ${error.kind} ${error.message}`);
      assert.ok(error.offset !== undefined || error.kind === 'unsupported', error.message);
    }
    assert.deepEqual(gitLines(repository, ['fsck', '--full']), []);
  });

  it('says that a connection was cut when it came over one', async () => {
    const stream = chunksOf(pack.subarray(0, 5000), 1000);
    await assert.rejects(unpackHere({ stream, name: 'download', isNetwork: true }, repository), {
      kind: 'network',
      offset: 5000,
      advice: /cut/,
    });
  });

  it('passes on what its source failed with', async () => {
    const stream = (async function* () {
      yield pack.subarray(0, 1000);
      await Promise.resolve();
      throw new EngineError('network', 'The line is down.');
    })();
    await assert.rejects(unpackHere({ stream, name: 'download' }, repository), {
      kind: 'network',
      message: 'The line is down.',
    });
    assert.deepEqual(readdirSync(join(repository, 'objects')).sort(), ['info', 'pack']);
  });
});

describe('a pack that lies', () => {
  const folder = temporaryFolder();
  const repository = join(folder.path, 'target.git');
  before(() => initRepository(repository));
  after(() => folder[Symbol.dispose]());

  const text = 'twenty bytes of base';
  const blob = { kind: 'blob' as const, content: Buffer.from(text) };
  const own = nameOf('blob', Buffer.from(`${text}!`));
  /** Where an entry after one blob begins. */
  const second = buildPack([blob]).length - 20;
  const append = buildDelta(20, 21, [{ copy: [0, 20] }, { insert: '!' }]);
  const endless = { kind: 'blob' as const, content: Buffer.alloc(50_000_000), claimedSize: 20 };

  const cases: [string, Buffer, ErrorKind, RegExp, number | undefined][] = [
    ['is something else', Buffer.from('GIF89a and so on, and on'), 'corrupt', /does not begin with PACK/, 0],
    ['is of a version to come', buildPack([blob], { version: 4 }), 'unsupported', /version 4/, 4],
    ['is of version 1', buildPack([blob], { version: 1 }), 'unsupported', /version 1/, 4],
    [
      'has fewer objects than it says',
      buildPack([blob], { count: 2 }),
      'corrupt',
      /ended|type|claims|inflated/,
      undefined,
    ],
    [
      'has four billion objects',
      buildPack([blob], { count: 0xffff_ffff }),
      'corrupt',
      /ended|type|claims|inflated/,
      undefined,
    ],
    ['has more objects than it says', buildPack([blob, blob], { count: 1 }), 'integrity', /checksum/, second],
    [
      'has another checksum',
      buildPack([blob], { checksum: Buffer.alloc(20, 7) }),
      'integrity',
      /ends with the checksum 0707/,
      second,
    ],
    ['goes on after its end', Buffer.concat([buildPack([blob]), Buffer.from('x')]), 'corrupt', /goes on/, second + 20],
    ['has a kind that is none', buildPack([{ raw: entryHeader(5, 20) }]), 'corrupt', /type 5/, 12],
    [
      'has an object without zlib stream',
      buildPack([{ raw: Buffer.concat([entryHeader(3, 20), randomBytesOf(100)]) }]),
      'corrupt',
      /cannot be inflated/,
      12,
    ],
    [
      'has an object that is smaller than it says',
      buildPack([{ ...blob, claimedSize: 21 }]),
      'corrupt',
      /20 bytes instead of the 21/,
      12,
    ],
    [
      'has an object that is larger than it says',
      buildPack([{ ...blob, claimedSize: 19 }]),
      'corrupt',
      /more than the 19/,
      12,
    ],
    ['has an object of 20 bytes that inflates for ever', buildPack([endless]), 'corrupt', /more than the 20/, 12],
    [
      'has an object that claims exabytes',
      buildPack([{ ...blob, claimedSize: 2 ** 52 }]),
      'corrupt',
      /20 bytes instead/,
      12,
    ],
    [
      'has a delta on itself by offset',
      buildPack([blob, { delta: append, base: { distance: 0 } }]),
      'corrupt',
      /itself/,
      second,
    ],
    ['has a delta on itself by name', buildPack([{ delta: append, baseName: own }]), 'integrity', new RegExp(own), 12],
    [
      'has two deltas on each other',
      buildPack([
        { delta: append, baseName: own },
        { delta: append, baseName: own },
      ]),
      'integrity',
      /2 deltas/,
      12,
    ],
    [
      'has a delta on nothing',
      buildPack([{ delta: append, baseName: '12'.repeat(20) }, blob]),
      'integrity',
      /1212121212/,
      12,
    ],
    [
      'has a delta on what waits for nothing',
      buildPack([
        { delta: append, baseName: '12'.repeat(20) },
        { delta: append, base: 0 },
      ]),
      'integrity',
      /1212121212/,
      12,
    ],
    [
      'has a delta on the middle of an object',
      buildPack([blob, { delta: append, base: { distance: 5 } }]),
      'corrupt',
      /no object begins/,
      second,
    ],
    [
      'has a delta on what is before the pack',
      buildPack([blob, { delta: append, base: { distance: 500 } }]),
      'corrupt',
      /before the pack/,
      second,
    ],
    [
      'has a delta that copies past its base',
      buildPack([blob, { delta: buildDelta(20, 30, [{ copy: [0, 30] }]), base: 0 }]),
      'corrupt',
      /copies 30 bytes/,
      second,
    ],
    [
      'has a delta that writes past its result',
      buildPack([blob, { delta: buildDelta(20, 3, [{ copy: [0, 20] }]), base: 0 }]),
      'corrupt',
      /of a result that has 3/,
      second,
    ],
    [
      'has a delta that does not reach its result',
      buildPack([blob, { delta: buildDelta(20, 30, [{ copy: [0, 20] }]), base: 0 }]),
      'corrupt',
      /20 of 30/,
      second,
    ],
    [
      'has a delta for another base',
      buildPack([blob, { delta: buildDelta(19, 1, [{ copy: [0, 1] }]), base: 0 }]),
      'corrupt',
      /base of 19/,
      second,
    ],
    [
      'has a delta with a reserved instruction',
      buildPack([blob, { delta: buildDelta(20, 1, [{ raw: [0] }]), base: 0 }]),
      'corrupt',
      /reserved/,
      second,
    ],
    ['has a delta that is empty', buildPack([blob, { delta: Buffer.alloc(0), base: 0 }]), 'corrupt', /sizes/, second],
    [
      'has a delta that claims a petabyte',
      buildPack([blob, { delta: buildDelta(20, 2 ** 50, [{ copy: [0, 20] }]), base: 0 }]),
      'corrupt',
      /20 of 1125899906842624/,
      second,
    ],
    ['is a bundle of a version to come', Buffer.from('# v4 git bundle\n\nPACK'), 'unsupported', /v4/, 0],
    [
      'is a bundle that needs what is not known',
      Buffer.from('# v3 git bundle\n@compression=brotli\n\nPACK'),
      'unsupported',
      /compression/,
      16,
    ],
    [
      'is a bundle with a line out of form',
      Buffer.from('# v2 git bundle\nnonsense\n\nPACK'),
      'corrupt',
      /out of form/,
      16,
    ],
    ['is a bundle that is cut in its header', Buffer.from('# v2 git bundle\n0123'), 'corrupt', /bundle header/, 20],
    ['is a bundle with a line without end', Buffer.alloc(200_000, '# v2 git bundle'), 'corrupt', /line of more/, 0],
  ];
  for (const [what, pack, kind, message, offset] of cases) {
    for (const bigFileThreshold of [undefined, 4]) {
      it(`is refused when it ${what}${bigFileThreshold === undefined ? '' : ', also while it is streamed'}`, async () => {
        const before = process.memoryUsage().rss;
        await assert.rejects(unpackHere(pack, repository, { bigFileThreshold }), (error) => {
          assert.ok(error instanceof EngineError, String(error));
          assert.equal(error.kind, kind, error.message);
          assert.match(error.message, message);
          if (offset !== undefined) assert.equal(error.offset, offset, error.message);
          return true;
        });
        assert.ok(process.memoryUsage().rss - before < 100_000_000);
        assert.deepEqual(readdirSync(join(repository, 'objects')).sort(), ['info', 'pack']);
      });
    }
  }
});

describe('a repository that cannot take objects', () => {
  const folder = temporaryFolder();
  let made = 0;
  const target = () => initRepository(join(folder.path, `target${made++}.git`));
  after(() => folder[Symbol.dispose]());
  const blobs = (count: number): PackEntry[] =>
    Array.from({ length: count }, (_, number) => ({ kind: 'blob', content: Buffer.from(`number ${number}`) }));
  const pack = buildPack(blobs(300));

  it('is told: no repository at all', async () => {
    mkdirSync(join(folder.path, 'plain'));
    await assert.rejects(unpackHere(pack, join(folder.path, 'plain')), {
      kind: 'destination',
      message: /not a Git repository/,
    });
    await assert.rejects(unpackHere(pack, join(folder.path, 'nowhere')), { kind: 'destination' });
  });

  it('is told: a folder that is a file', async () => {
    const repository = target();
    writeFileSync(join(repository, 'objects', nameOf('blob', Buffer.from('number 7')).slice(0, 2)), 'in the way');
    await assert.rejects(unpackHere(pack, repository), { kind: 'destination' });
    const left = readdirSync(join(repository, 'objects'));
    assert.ok(!left.some((name) => name.startsWith('tmp_')), String(left));
    // What had its place by then is whole.
    for (const line of allObjects(repository)) assert.match(line, /^[0-9a-f]{40} blob \d+$/);
  });

  it('is told: no object folder', async () => {
    const repository = target();
    const objects = join(repository, 'objects');
    rmSync(objects, { recursive: true });
    writeFileSync(objects, '');
    await assert.rejects(unpackHere(pack, repository), { kind: 'destination' });
  });

  it('is told: a format or an extension that is not known', async () => {
    const repository = target();
    git(repository, ['config', 'core.repositoryFormatVersion', '1']);
    git(repository, ['config', 'extensions.teleport', 'true']);
    await assert.rejects(unpackHere(pack, repository), { kind: 'unsupported', subject: 'teleport' });
    git('.', ['config', '--file', join(repository, 'config'), 'core.repositoryFormatVersion', '7']);
    await assert.rejects(unpackHere(pack, repository), { kind: 'unsupported' });
  });

  it('takes two packs at once, with objects in common', async () => {
    const repository = target();
    const packs = [pack, pack, buildPack(blobs(200)), buildPack(blobs(400))];
    const reports = await Promise.all(packs.map((one) => unpackHere(one, repository)));
    assert.equal(allObjects(repository).length, 400);
    assert.ok(reports.every((report) => report.written + report.existing === report.objects));
    assert.deepEqual(gitLines(repository, ['fsck', '--full', '--no-dangling']), []);
  });
});
