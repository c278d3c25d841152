import assert from 'node:assert/strict';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import type { RepositoryServer, ServeRequest } from '../../../src/engine/server/serveRequest';
import { stateOf } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { buildRepository, repository } from '../../fixtures/repositories';
import { askRaw, streamArguments } from '../../fixtures/wireRequest';

const takesAll = { 'X-HgProto-1': '0.1 0.2 comp=zlib,none' };
/** Of the published repository of 1,025 files. */
const publishedTip = 'c17445101a72edac06facd130d14808dfbd5c7c2';

describe('serving streams', function () {
  this.timeout(120_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let count = 0;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('serve-streams');
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const fresh = () => join(folder.path, `clone-${count++}`);
  const serve = (root: string, request: Partial<ServeRequest> = {}): Promise<RepositoryServer> =>
    engine.serve({ repositories: [{ root }], ...request }, unattended);

  it('answers the published request with the bytes of hg serve, uncompressed', async () => {
    const root = repository('manyFiles');
    await using hg = await HgServer.start(root);
    await using server = await serve(root);
    const args = { ...streamArguments, heads: publishedTip };
    const theirs = await askRaw(hg.url, 'getbundle', args, takesAll);
    const ours = await askRaw(server.address, 'getbundle', args, takesAll);
    assert.equal(ours.mediaType, 'application/mercurial-0.2');
    assert.equal(ours.body.toString('hex', 0, 9), '046e6f6e6548473230');
    assert.equal(ours.body.toString('hex'), theirs.body.toString('hex'));
  });

  it('compresses it with zlib for a client without the 0.2 media type', async () => {
    const root = repository('manyFiles');
    await using server = await serve(root);
    const plain = await askRaw(server.address, 'getbundle', streamArguments, takesAll);
    const old = await askRaw(server.address, 'getbundle', streamArguments);
    assert.equal(old.mediaType, 'application/mercurial-0.1');
    assert.equal(old.body.toString('hex', 0, 2), '789c');
    assert.deepEqual(inflateSync(old.body), plain.body.subarray('\x04none'.length));
  });

  it('compresses it for all when the wish of the bundle is turned round', async () => {
    const root = repository('manyFiles');
    await using server = await serve(root, { compressStreams: true });
    const { body, mediaType } = await askRaw(server.address, 'getbundle', streamArguments, takesAll);
    assert.equal(mediaType, 'application/mercurial-0.2');
    assert.equal(body.toString('latin1', 0, 5), '\x04zlib');
    assert.equal(inflateSync(body.subarray(5)).toString('latin1', 0, 4), 'HG20');
  });

  for (const kind of ['empty', 'draft', 'modes', 'nastyNames', 'uncompressed'] as const) {
    it(`sends ${kind} as hg serve does, by stream and by legacy stream`, async () => {
      const root = repository(kind);
      await using hg = await HgServer.start(root);
      await using server = await serve(root);
      // Both first: either may write caches.
      for (const url of [hg.url, server.address]) await askRaw(url, 'getbundle', streamArguments, takesAll);
      for (const [command, args] of [
        ['getbundle', streamArguments],
        ['stream_out', {}],
      ] as const) {
        const [theirs, ours] = [
          await askRaw(hg.url, command, args, takesAll),
          await askRaw(server.address, command, args, takesAll),
        ];
        assert.equal(ours.mediaType, theirs.mediaType);
        assert.ok(ours.body.equals(theirs.body), `${command}: ${ours.body.length} bytes, hg ${theirs.body.length}`);
      }
    });
  }

  it('is cloned from by hg, which finds nothing wrong, by stream and by legacy stream', async () => {
    for (const kind of ['nastyNames', 'draft'] as const) {
      const root = repository(kind);
      for (const [format, postArguments, ...flags] of [
        ['stream v2 none', false],
        ['stream v2 none', true],
        ['stream v1 none', false, '--config', 'devel.legacy.exchange=bundle1'],
      ] as const) {
        await using server = await serve(root, { postArguments });
        const formats = new Set<string>();
        server.watch(({ client: { request } }) => {
          if (request?.files !== undefined) formats.add(`${request.format ?? ''} ${request.compression ?? ''}`);
        });
        const clone = fresh();
        const { code, stderr, stdout } = await runHg(['clone', '--stream', '-U', ...flags, server.address, clone]);
        assert.equal(code, 0, stderr);
        assert.match(stdout.toString(), /streaming all changes/);
        assert.deepEqual([...formats], [format]);
        const verified = await runHg(['-R', clone, 'verify', '-q']);
        assert.equal(verified.code, 0, verified.stderr);
        if (kind !== 'draft') assert.equal(stateOf(clone), stateOf(await cloneByHg(root)));
      }
    }
  });

  it('has no stream for a repository with secrets, and says so as hg does', async () => {
    const root = buildRepository('draft', fresh());
    await runHg(['-R', root, 'phase', '--force', '--secret', '-r', 'tip']);
    await using hg = await HgServer.start(root);
    await using server = await serve(root);
    const legacy = await askRaw(server.address, 'stream_out');
    assert.deepEqual(legacy.body, (await askRaw(hg.url, 'stream_out')).body);
    const capabilities = (await askRaw(server.address, 'capabilities')).body.toString();
    assert.doesNotMatch(capabilities, /stream/);
    const [ours, theirs] = [
      await askRaw(server.address, 'getbundle', streamArguments, takesAll),
      await askRaw(hg.url, 'getbundle', streamArguments, takesAll),
    ];
    const said = 'stream data requested but server does not allow this feature';
    for (const { body } of [ours, theirs]) {
      assert.ok(body.toString('latin1').startsWith('\x04noneHG20'));
      assert.ok(body.includes(said));
    }
  });

  async function cloneByHg(root: string): Promise<string> {
    const clone = fresh();
    const { code, stderr } = await runHg(['clone', '-q', '-U', '--pull', root, clone]);
    assert.equal(code, 0, stderr);
    return clone;
  }
});
