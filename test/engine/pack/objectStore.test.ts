import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { contentBytes, contentSize, ContentFile } from '../../../src/engine/pack/content';
import { sha1Format } from '../../../src/engine/pack/objectFormat';
import { ObjectStore } from '../../../src/engine/pack/objectStore';
import { allObjects, fastImport, git, initRepository, temporaryFolder } from '../../fixtures/gitRepository';
import { nameOf } from '../../fixtures/packBuilder';
import { randomBytesOf, sourceHistory } from '../../fixtures/sourceHistory';

describe('the objects of a repository', () => {
  const folder = temporaryFolder();
  const source = join(folder.path, 'source.git');
  before(async () => {
    initRepository(source);
    await fastImport(source, sourceHistory({ commits: 60, files: 20 }));
  });
  after(() => folder[Symbol.dispose]());

  const limits = (inMemory: number) => ({ inMemory, scratch: folder.path, operation: unattended });

  async function assertAllReadable(repository: string, inMemory: number): Promise<void> {
    using store = new ObjectStore(join(repository, 'objects'), sha1Format);
    for (const line of allObjects(repository)) {
      const [hex, kind, size] = line.split(' ');
      const name = Buffer.from(hex, 'hex');
      assert.ok(store.has(name));
      const object = await store.read(name, limits(inMemory));
      assert.ok(object !== undefined);
      assert.equal(contentSize(object.content), Number(size));
      assert.equal(object.content instanceof ContentFile, Number(size) > inMemory);
      assert.equal(nameOf(kind, contentBytes(object.content, 0, Number(size))), hex);
      if (object.content instanceof ContentFile) object.content[Symbol.dispose]();
    }
    assert.ok(!store.has(Buffer.alloc(20, 0xfe)));
    assert.equal(await store.read(Buffer.alloc(20, 0xfe), limits(inMemory)), undefined);
  }

  it('are read from packs, with chains in memory or in files', async () => {
    const repository = initRepository(join(folder.path, 'packed.git'));
    git(repository, ['index-pack', '--stdin'], git(source, ['pack-objects', '--stdout', '--all', '-q'], ''));
    await assertAllReadable(repository, 1_000_000);
    await assertAllReadable(repository, 0);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith('tmp_obj')),
      [],
    );
  });

  it('are read from loose files, those of other tools too', async () => {
    const repository = initRepository(join(folder.path, 'loose.git'));
    git(repository, ['unpack-objects', '-q'], git(source, ['pack-objects', '--stdout', '--all', '-q'], ''));
    for (const level of ['0', '9']) {
      git(
        repository,
        ['-c', `core.looseCompression=${level}`, 'hash-object', '-w', '--stdin'],
        randomBytesOf(2_000_000, Number(level)),
      );
      git(
        repository,
        ['-c', `core.looseCompression=${level}`, 'hash-object', '-w', '--stdin'],
        Buffer.alloc(2_000_000, level),
      );
    }
    await assertAllReadable(repository, 1_000_000_000);
    await assertAllReadable(repository, 1000);
  });

  it('are marked as new when they were sent once more', () => {
    const repository = initRepository(join(folder.path, 'fresh.git'));
    const hex = git(repository, ['hash-object', '-w', '--stdin'], 'old').toString().trim();
    const path = join(repository, 'objects', hex.slice(0, 2), hex.slice(2));
    utimesSync(path, 1, 1);
    using store = new ObjectStore(join(repository, 'objects'), sha1Format);
    assert.ok(store.freshen(Buffer.from(hex, 'hex')));
    assert.ok(statSync(path).mtimeMs > Date.now() - 60_000);
    assert.ok(!store.freshen(Buffer.alloc(20, 1)));
  });

  it('that are damaged are refused, wherever the damage is', async () => {
    const repository = initRepository(join(folder.path, 'damaged.git'));
    const hex = git(repository, ['hash-object', '-w', '--stdin'], 'some text to be damaged').toString().trim();
    const path = join(repository, 'objects', hex.slice(0, 2), hex.slice(2));
    const good = readFileSync(path);
    chmodSync(path, 0o644);
    using store = new ObjectStore(join(repository, 'objects'), sha1Format);
    const name = Buffer.from(hex, 'hex');
    for (let bit = 0; bit < good.length * 8; bit++) {
      const flipped = Buffer.from(good);
      flipped[bit >> 3] ^= 1 << (bit & 7);
      writeFileSync(path, flipped);
      const object = await store.read(name, limits(1000)).catch((error: unknown) => {
        assert.ok(error instanceof EngineError && error.kind === 'corrupt', String(error));
        return undefined;
      });
      // Bits of zlib's head that say nothing about the content may be any; the content never is.
      if (object !== undefined)
        assert.equal(Buffer.from(contentBytes(object.content, 0, 100)).toString(), 'some text to be damaged');
    }
    for (let end = 0; end < good.length; end++) {
      writeFileSync(path, good.subarray(0, end));
      await assert.rejects(store.read(name, limits(1000)), { kind: 'corrupt' });
    }
  });
});
