import assert from 'node:assert/strict';
import { join } from 'node:path';
import { HgServer, runHg, temporaryDirectory } from '../fixtures/hg';
import { hg } from '../fixtures/hgCommand';

describe('a real hg serve for tests', () => {
  it('answers at its address, under a prefix, with its settings, and is gone when stopped', async () => {
    await using folder = await temporaryDirectory();
    const repository = join(folder.path, 'served');
    hg(folder.path, ['init', repository]);
    const server = await HgServer.start(repository, { prefix: 'some/place', config: ['server.zlib-level=1'] });
    try {
      assert.match(server.url, /\/some\/place\/$/);
      const identified = await runHg(['identify', server.url]);
      assert.equal(identified.code, 0, identified.stderr);
      assert.equal(identified.stdout.toString(), '000000000000\n');
      assert.match(await server.accessLog(), /cmd=capabilities/);
    } finally {
      await server.stop();
    }
    assert.notEqual((await runHg(['identify', server.url])).code, 0);
  });

  it('says why it could not start', async () => {
    await assert.rejects(HgServer.start('/no/such/repository'), /ended with 255: .*no\/such\/repository/s);
  });
});
