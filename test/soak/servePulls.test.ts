import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { writableEngines } from '../../src/engine/compression/stream';
import type { Engine } from '../../src/engine/engine';
import { unattended } from '../../src/engine/io/operation';
import type { RepositoryServer, ServeRequest } from '../../src/engine/server/serveRequest';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { BusyRepository, stateOf } from '../fixtures/busyRepository';
import { builtEngine } from '../fixtures/engine';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg, hgText } from '../fixtures/hgCommand';
import { askRaw, hgBundleCaps } from '../fixtures/wireRequest';

/** What clients are told to speak, and what the server offers. */
const dialects: Record<string, { client: string[]; server?: Partial<ServeRequest>; format: RegExp }> = {
  bundle2: { client: [], format: /^changegroup 02 (?:zlib|zstd) application\/mercurial-0\.2$/ },
  'bundle1, arguments in bodies': {
    client: ['--config', 'devel.legacy.exchange=bundle1'],
    server: { postArguments: true },
    format: /^changegroup 01 (?:zlib|zstd) application\/mercurial-0\.2$/,
  },
  'bundle2, zlib alone': {
    client: [],
    server: { engines: ['zlib'] },
    format: /^changegroup 02 zlib application\/mercurial-0\.2$/,
  },
  ...(writableEngines.includes('zstd') && {
    'bundle2, zstd alone': {
      client: [],
      server: { engines: ['zstd'] },
      format: /^changegroup 02 zstd application\/mercurial-0\.2$/,
    },
  }),
  'bundle2, media type 0.1': {
    client: [],
    server: { engines: [] },
    format: /^changegroup 02 zlib application\/mercurial-0\.1$/,
  },
  'bundle1, media type 0.1': {
    client: ['--config', 'devel.legacy.exchange=bundle1'],
    server: { engines: [] },
    format: /^changegroup 01 zlib application\/mercurial-0\.1$/,
  },
};

describe('serving pulls', function () {
  this.timeout(180_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let busy: BusyRepository;
  let count = 0;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('serve-pulls');
    busy = new BusyRepository(fresh(), 23);
    for (let round = 0; round < 7; round++) busy.work();
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const fresh = () => join(folder.path, `repository-${count++}`);
  const serve = (root: string, request: Partial<ServeRequest> = {}): Promise<RepositoryServer> =>
    engine.serve({ repositories: [{ root }], ...request }, unattended);

  for (const [name, { client, server: offers, format }] of Object.entries(dialects)) {
    it(`hg clones, pulls, looks and asks: ${name}`, async () => {
      await using server = await serve(busy.root, offers);
      const formats = new Set<string>();
      server.watch(({ type, client: { request } }) => {
        if (type !== 'finished' || request?.format === undefined) return;
        formats.add(`${request.format} ${request.compression ?? ''} ${request.mediaType ?? ''}`);
      });
      const [clone, part] = [fresh(), fresh()];
      await judge(['clone', '-q', '-U', '--pull', ...client, server.address, clone]);
      const middle = hgText(busy.root, ['log', '-r', '3', '-T', '{node}']);
      await judge(['clone', '-q', '-U', '-r', middle, ...client, server.address, part]);
      assert.equal(
        hgText(part, ['log', '-T', '{node}\n']),
        hgText(busy.root, ['log', '-r', `reverse(::${middle})`, '-T', '{node}\n']),
      );
      assertVerified(part);
      const incoming = await judge(['-R', part, 'incoming', '-q', ...client, '-T', '{node}\n', server.address]);
      assert.equal(incoming, hgText(busy.root, ['log', '-r', `not ::${middle}`, '-T', '{node}\n']) + '\n');
      await judge(['-R', part, 'pull', '-q', ...client, server.address]);
      assertVerified(part);
      assertSame(part, busy.root);
      busy.work();
      await judge(['-R', clone, 'pull', '-q', ...client]);
      assertVerified(clone);
      assertSame(clone, busy.root);
      const identified = await judge(['identify', '--id', ...client, '-r', 'tip', server.address]);
      assert.equal(identified.trim(), hgText(busy.root, ['log', '-r', 'tip', '-T', '{short(node)}']));
      for (const one of formats) assert.match(one, format);
      assert.ok(formats.size > 0);
    });
  }

  it('our own client clones and pulls, in changegroup 03', async () => {
    await using server = await serve(busy.root);
    const clone = fresh();
    const settings = defaultWireSettings;
    const source = server.address;
    const cloned = await engine.cloneByPull(
      { source, destination: clone, update: { kind: 'none' }, settings },
      unattended,
    );
    assert.equal(cloned.format, 'changegroup 03');
    busy.work();
    await engine.pull({ root: clone, settings }, unattended);
    assertVerified(clone);
    assertSame(clone, busy.root);
    const streamed = fresh();
    const { format, compression } = await engine.clone(
      { source, destination: streamed, update: { kind: 'none' }, settings },
      unattended,
    );
    assert.deepEqual([format, compression], ['stream v2', 'none']);
    assertVerified(streamed);
    assertSame(streamed, busy.root);
  });

  it('keeps secrets, what stands on them, their bookmarks, and what was rewritten', async () => {
    const root = fresh();
    hg(folder.path, ['init', root]);
    const commit = (text: string, message = text, ...flags: string[]) => {
      appendFileSync(join(root, 'file'), `${text}\n`);
      hg(root, ['commit', '-qAm', message, '-d', '0 0', ...flags]);
    };
    commit('seen');
    commit('before');
    hg(root, ['--config', 'experimental.evolution=all', 'commit', '-q', '--amend', '-m', 'rewritten', '-d', '0 0']);
    // The same content, and so the same file revision, in a secret changeset and in one that is none.
    commit('shared', 'secret', '--secret');
    hg(root, ['bookmark', '-i', 'hidden']);
    const shared = hgText(root, ['log', '-r', '.', '-T', '{node}']);
    hg(root, ['update', '-q', '-r', '.^']);
    commit('shared');
    hg(root, ['bookmark', '-i', 'open']);
    await using server = await serve(root);
    await using theirs = await HgServer.start(root);
    for (const command of ['heads', 'branchmap']) {
      const [ours, real] = [await askRaw(server.address, command), await askRaw(theirs.url, command)];
      assert.equal(ours.body.toString(), real.body.toString(), command);
    }
    for (const namespace of ['bookmarks', 'phases', 'namespaces']) {
      const [ours, real] = [
        await askRaw(server.address, 'listkeys', { namespace }),
        await askRaw(theirs.url, 'listkeys', { namespace }),
      ];
      assert.deepEqual(linesOf(ours.body), linesOf(real.body), namespace);
    }
    for (const key of ['hidden', shared, shared.slice(0, 12), '3']) {
      assert.match((await askRaw(server.address, 'lookup', { key })).body.toString(), /^0 /, key);
    }
    for (const key of ['open', 'tip', 'default', '0', 'null']) {
      const [ours, real] = [
        await askRaw(server.address, 'lookup', { key }),
        await askRaw(theirs.url, 'lookup', { key }),
      ];
      assert.equal(ours.body.toString(), real.body.toString(), key);
    }
    assert.equal((await askRaw(server.address, 'known', { nodes: shared })).body.toString(), '0');
    const wish = { bundlecaps: hgBundleCaps, cg: '1', common: '0'.repeat(40), heads: shared };
    const asked = await askRaw(server.address, 'getbundle', wish, { 'X-HgProto-1': '0.2 comp=none' });
    assert.ok(asked.body.includes('ERROR:ABORT') && !asked.body.includes('CHANGEGROUP'));
    const clone = fresh();
    await judge(['clone', '-q', '-U', server.address, clone]);
    assertVerified(clone);
    assert.equal(hgText(clone, ['log', '-T', '{desc} {bookmarks}\n']), 'shared open\nrewritten \nseen ');
  });

  it('serves a change as soon as it is there', async () => {
    const root = fresh();
    hg(folder.path, ['init', root]);
    await using server = await serve(root);
    assert.equal((await askRaw(server.address, 'heads')).body.toString(), `${'0'.repeat(40)}\n`);
    for (const text of ['one', 'two']) {
      appendFileSync(join(root, 'file'), text);
      hg(root, ['commit', '-qAm', text, '-d', '0 0']);
      const tip = hgText(root, ['log', '-r', 'tip', '-T', '{node}']);
      assert.equal((await askRaw(server.address, 'heads')).body.toString(), `${tip}\n`);
    }
    hg(root, ['phase', '--force', '--secret', '-r', 'tip']);
    const first = hgText(root, ['log', '-r', '0', '-T', '{node}']);
    assert.equal((await askRaw(server.address, 'heads')).body.toString(), `${first}\n`);
  });
});

async function judge(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHg(args);
  assert.equal(code, 0, stderr);
  return stdout.toString();
}

function assertVerified(root: string): void {
  assert.equal(hg(root, ['verify', '-q']).toString(), '');
}

/** The same changesets, branches, tags, bookmarks and files; phases are not those of a publishing repository. */
function assertSame(clone: string, source: string): void {
  const [ours, theirs] = [clone, source].map((root) =>
    stateOf(root)
      .replace(/ (?:draft|public) /g, ' ')
      // Numbers, the working copy's mark and its active bookmark are a repository's own.
      .replace(/^[ |/\\:o@_*-]*\d* */gm, '')
      .replace(/ +\d+:/g, ' ')
      .split('\n')
      .filter((line) => /[0-9a-f]{12}/.test(line))
      .sort(),
  );
  assert.deepEqual(ours, theirs);
}

function linesOf(body: Buffer): string[] {
  return body.toString('latin1').split('\n').filter(Boolean).sort();
}
