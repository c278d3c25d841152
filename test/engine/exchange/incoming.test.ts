import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { BusyRepository } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { HgServer, temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository } from '../../fixtures/repositories';

const template = '{node}|{user}|{date|hgdate}|{branch}|{join(files, ";")}|{desc}\n';

describe('incoming', function () {
  this.timeout(60_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('incoming');
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const linesOf = async (root: string, source: string) => {
    const request = { root, source, settings: defaultWireSettings };
    const { changesets } = await engine.incoming(request, unattended);
    return changesets.map(
      ({ node, user, date, branch, files, description }) =>
        `${node}|${user}|${date.seconds} ${date.offset}|${branch}|${files.join(';')}|${description}`,
    );
  };

  it('lists what hg lists, from a server and from a bundle, and writes nothing', async () => {
    const busy = new BusyRepository(join(folder.path, 'busy'), 13);
    const clone = join(folder.path, 'clone');
    hg(folder.path, ['clone', '-q', '-U', busy.root, clone]);
    const tip = hgText(clone, ['log', '-r', 'tip', '-T', '{node}']);
    for (let round = 0; round < 4; round++) busy.work();
    await using server = await HgServer.start(busy.root);
    const listed = hgText(clone, ['incoming', '-q', '-T', template, busy.root]).split('\n');
    assert.deepEqual(await linesOf(clone, server.url), listed);
    const bundle = join(folder.path, 'bundle');
    for (const type of ['none-v1', 'zstd-v2']) {
      hg(busy.root, ['bundle', '-q', '--all', '-t', type, bundle]);
      assert.deepEqual(await linesOf(clone, bundle), listed);
    }
    assert.equal(hgText(clone, ['log', '-r', 'tip', '-T', '{node}']), tip);
    assert.deepEqual(await linesOf(busy.root, server.url), []);
  });

  it('reads names and words in UTF-8', async () => {
    const empty = join(folder.path, 'empty');
    hg(folder.path, ['init', empty]);
    await using server = await HgServer.start(repository('branches'));
    const listed = hgText(repository('branches'), ['log', '-r', 'all()', '-T', template]).split('\n');
    assert.deepEqual(await linesOf(empty, server.url), listed);
  });
});
