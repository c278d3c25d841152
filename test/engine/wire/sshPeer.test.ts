import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import { parseLocation } from '../../../src/engine/wire/location';
import { openPeer } from '../../../src/engine/wire/openPeer';
import { standInForSsh } from '../../fixtures/standInForSsh';
import { sshArguments } from '../../../src/engine/wire/sshLocation';
import { defaultWireSettings, type WireSettings } from '../../../src/engine/wire/wireSettings';
import { BusyRepository, stateOf } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg, hgText, tryHg } from '../../fixtures/hgCommand';

describe('a peer by SSH', function () {
  this.timeout(120_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let settings: WireSettings;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('ssh');
    settings = { ...defaultWireSettings, sshCommand: [standInForSsh(folder.path)] };
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const address = (root: string, host = 'example.org') => `ssh://somebody@${host}/${root}`;

  it('clones, by pull and by stream, and pulls', async () => {
    const busy = new BusyRepository(join(folder.path, 'busy repository'), 17);
    for (let round = 0; round < 2; round++) busy.work();
    const source = address(busy.root);
    const [pulled, streamed, theirs] = ['pulled', 'streamed', 'theirs'].map((name) => join(folder.path, name));
    const update = { kind: 'none' } as const;
    await engine.cloneByPull({ source, destination: pulled, update, settings }, unattended);
    await engine.clone({ source, destination: streamed, update, settings }, unattended);
    hg(folder.path, ['clone', '-q', '-U', '--pull', busy.root, theirs]);
    for (let round = 0; round < 2; round++) {
      for (const root of [pulled, streamed]) assert.equal(stateOf(root), stateOf(theirs));
      busy.work();
      for (const root of [pulled, streamed]) await engine.pull({ root, settings, source }, unattended);
      hg(theirs, ['pull', '-q']);
    }
    for (const root of [pulled, streamed]) assert.equal(tryHg(root, ['verify', '-q']).code, 0);
  });

  it('answers every short question', async () => {
    const busy = new BusyRepository(join(folder.path, 'asked'), 19);
    const peer = await openPeer(parseLocation(address(busy.root)), settings, unattended);
    try {
      const tip = hgText(busy.root, ['log', '-r', 'tip', '-T', '{node}']);
      assert.deepEqual(await peer.heads(unattended), [tip]);
      assert.deepEqual(await peer.known(await peer.heads(unattended), unattended), [true]);
      assert.equal(await peer.lookup('tip', unattended), tip);
      assert.deepEqual([...(await peer.branchmap(unattended)).keys()], ['default']);
      assert.equal((await peer.listkeys('phases', unattended)).get('publishing'), 'True');
      await assert.rejects(peer.lookup('nothing-of-that-name', unattended), { kind: 'protocol' });
    } finally {
      await peer.close();
    }
  });

  it('says what ssh or the other side said when there is no repository, or no way', async () => {
    for (const [source, message] of [
      [address(join(folder.path, 'absent')), /not found/],
      [address('repository', 'nowhere').replace('somebody@', ''), /no route/],
    ] as const) {
      await assert.rejects(openPeer(parseLocation(source), settings, unattended), { kind: 'network', message });
    }
  });

  it('lets no name become an option or a command', () => {
    for (const bad of [
      'ssh://-oProxyCommand=touch%20x/path',
      'ssh://-oProxyCommand@host/path',
      'ssh://host%3Btouch/path',
      'ssh://user%20-x@host/path',
      'ssh://host/',
    ]) {
      assert.throws(() => parseLocation(bad), { kind: 'protocol' }, bad);
    }
    assert.deepEqual(sshArguments({ host: 'h', path: "-x'; touch y" }), [
      '--',
      'h',
      `hg -R './-x'\\''; touch y' serve --stdio`,
    ]);
    const { ssh } = parseLocation('ssh://me@example.org:2222//srv/repository');
    assert.deepEqual(ssh, { host: 'example.org', username: 'me', port: 2222, path: '/srv/repository' });
  });
});
