import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { decompressStream } from '../../../src/engine/compression/stream';
import { unattended } from '../../../src/engine/io/operation';
import { nullNode, type Node } from '../../../src/engine/revlog/node';
import { parseLocation } from '../../../src/engine/wire/location';
import { openPeer } from '../../../src/engine/wire/openPeer';
import type { Peer } from '../../../src/engine/wire/peer';
import { defaultWireSettings, type WireSettings } from '../../../src/engine/wire/wireSettings';
import { HgServer, runHg, temporaryDirectory, type HgServerOptions } from '../../fixtures/hg';
import { hgText } from '../../fixtures/hgCommand';
import { repository, type RepositoryKind } from '../../fixtures/repositories';
import { WireProxy } from '../../fixtures/wireProxy';

const bundleCapabilities = ['HG20', 'bundle2=HG20%0Abookmarks%0Achangegroup%3D01%2C02%0Aphases%3Dheads%0Astream%3Dv2'];

interface Served {
  peer: Peer;
  server: HgServer;
  root: string;
}

async function serving(
  kind: RepositoryKind,
  work: (served: Served) => Promise<void>,
  options: HgServerOptions = {},
  settings: WireSettings = defaultWireSettings,
): Promise<void> {
  const root = repository(kind);
  await using server = await HgServer.start(root, options);
  const peer = await openPeer(parseLocation(server.url), settings, unattended);
  try {
    await work({ peer, server, root });
  } finally {
    await peer.close();
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of body) pieces.push(bytes);
  return Buffer.concat(pieces);
}

const nodesOf = (root: string, revisions: string): Node[] =>
  hgText(root, ['log', '-r', revisions, '-T', '{node}\n', '--hidden']).split('\n').filter(Boolean) as Node[];

function pullAll(peer: Peer, heads?: Node[]): ReturnType<Peer['getbundle']> {
  const args = { bundlecaps: bundleCapabilities, cg: true, common: [nullNode], phases: true };
  return peer.getbundle({ ...args, heads }, unattended);
}

function streamAll(peer: Peer): ReturnType<Peer['getbundle']> {
  return peer.getbundle(
    {
      bundlecaps: bundleCapabilities,
      cg: false,
      common: [nullNode],
      stream: true,
    },
    unattended,
  );
}

describe('a real server over HTTP', () => {
  it('says what it can do', () =>
    serving('branches', async ({ peer }) => {
      const capabilities = await peer.capabilities(unattended);
      ok(capabilities.has('getbundle'));
      ok(capabilities.has('batch'));
      equal(capabilities.has('no such thing'), false);
      equal(capabilities.argumentHeaderLength, 1024);
      ok(capabilities.offersMediaType02);
      ok(capabilities.offersStreamV2);
      deepEqual(capabilities.compressionEngines, ['zstd', 'zlib']);
      ok(capabilities.legacyStreamRequirements?.includes('generaldelta'));
      deepEqual(capabilities.bundle2.get('phases'), ['heads']);
    }));

  it('tells heads, which nodes it knows, what a name stands for and the heads of branches', () =>
    serving('branches', async ({ peer, root }) => {
      const heads = nodesOf(root, 'heads(all())');
      deepEqual((await peer.heads(unattended)).sort(), heads.sort());

      const stranger = 'f'.repeat(40) as Node;
      deepEqual(await peer.known([heads[0], stranger, heads[1]], unattended), [true, false, true]);
      deepEqual(await peer.known([], unattended), []);

      equal(await peer.lookup('v1.0', unattended), nodesOf(root, 'v1.0')[0]);
      equal(await peer.lookup('a tag with spaces', unattended), nodesOf(root, '"a tag with spaces"')[0]);
      await rejects(peer.lookup('no such revision', unattended), {
        kind: 'protocol',
        message: "The server knows no no such revision: unknown revision 'no such revision'.",
      });

      const branches = await peer.branchmap(unattended);
      const expected = new Map<string, string[]>();
      for (const line of hgText(root, ['log', '-r', 'head()', '-T', '{branch}\t{node}\n']).split('\n')) {
        const [branch, node] = Buffer.from(line).toString('latin1').split('\t');
        expected.set(branch, [...(expected.get(branch) ?? []), node]);
      }
      for (const [branch, nodes] of expected) {
        ok(
          nodes.every((node) => branches.get(branch)?.includes(node as Node)),
          branch,
        );
      }
      equal(branches.size, expected.size);
    }));

  it('lists bookmarks, phases and namespaces, names as UTF-8 bytes', () =>
    serving('branches', async ({ peer, root }) => {
      const bookmarks = await peer.listkeys('bookmarks', unattended);
      const name = Buffer.from('bookmark é').toString('latin1');
      equal(bookmarks.get(name), nodesOf(root, '"bookmark é"')[0]);
      equal((await peer.listkeys('phases', unattended)).get('publishing'), 'True');
      ok((await peer.listkeys('namespaces', unattended)).has('bookmarks'));
      equal((await peer.listkeys('nothing here', unattended)).size, 0);
    }));

  it('tells of draft roots when it does not publish', () =>
    serving('draft', async ({ peer, root }) => {
      const phases = await peer.listkeys('phases', unattended);
      deepEqual([...phases.keys()].sort(), nodesOf(root, 'roots(draft())').sort());
    }));

  it('answers heads and known in one request', () =>
    serving('branches', async ({ peer, server, root }) => {
      const { heads, known } = await peer.headsAndKnown(nodesOf(root, 'all()'), unattended);
      deepEqual(heads.sort(), nodesOf(root, 'heads(all())').sort());
      ok(known.length > 5 && known.every(Boolean));
      match(await server.accessLog(), /cmd=batch/);
    }));

  it('answers about more nodes than fit into one request', () =>
    serving('branches', async ({ peer, root }) => {
      const tip = nodesOf(root, 'tip');
      const strangers = Array.from({ length: 2500 }, (_, number) => number.toString(16).padStart(40, 'a') as Node);
      const { known } = await peer.headsAndKnown([...strangers, ...tip], unattended);
      deepEqual([known.length, known.indexOf(true)], [2501, 2500]);
      deepEqual(await peer.known([...strangers, ...tip], unattended), known);
    }));

  it('has no heads when it is empty', () =>
    serving('empty', async ({ peer }) => {
      deepEqual(await peer.headsAndKnown([], unattended), { heads: [], known: [] });
      deepEqual(await peer.heads(unattended), []);
    }));

  it('sends a stream clone uncompressed, because it prefers to', () =>
    serving('manyFiles', async ({ peer }) => {
      const response = await streamAll(peer);
      equal(response.mediaType, 'application/mercurial-0.2');
      equal(response.compression, 'none');
      equal(response.reason, 'stream clone: the server prefers to send it uncompressed');
      const body = await readAll(response.body);
      // The published answer of this repository: 109,380 bytes with the engine's name, which is five bytes.
      equal(body.length, 109_380 - 5);
      const opening = body.subarray(0, 24).toString('latin1');
      equal(opening, 'HG20\0\0\0\0\0\0\0\x7b\x07STREAM2\0\0\0\0');
      match(body.subarray(24, 140).toString('latin1'), /bytecount95897filecount1030requirementsgeneraldelta%2C/);
    }));

  it('sends a stream uncompressed even to those who would rather have it compressed', () =>
    serving(
      'manyFiles',
      async ({ peer }) => {
        const response = await streamAll(peer);
        equal(response.compression, 'none');
        equal((await readAll(response.body)).length, 109_380 - 5);
      },
      {},
      { ...defaultWireSettings, compressionPreference: ['zlib'] },
    ));

  it('sends changegroups in the first engine of ours that it has', () =>
    serving('branches', async ({ peer, server }) => {
      const response = await pullAll(peer);
      equal(response.compression, 'zstd');
      equal(response.reason, 'the server offers zstd, and it is our first choice');
      const inZstd = await readAll(decompressStream('zstd', response.body));
      equal(inZstd.subarray(0, 4).toString(), 'HG20');

      const settings: WireSettings = { ...defaultWireSettings, compressionPreference: ['bzip2', 'zlib'] };
      const another = await openPeer(parseLocation(server.url), settings, unattended);
      const inZlib = await pullAll(another);
      equal(inZlib.compression, 'zlib');
      equal(inZlib.reason, 'zlib is the best that the server has of what we prefer');
      ok(inZstd.equals(await readAll(decompressStream('zlib', inZlib.body))));
    }));

  it('sends bzip2 where that is all that both sides have', () =>
    serving(
      'branches',
      async ({ peer }) => {
        const response = await pullAll(peer);
        equal(response.compression, 'bzip2');
        equal((await readAll(decompressStream('bzip2', response.body))).subarray(0, 4).toString(), 'HG20');
      },
      { config: ['server.compressionengines=bz2'] },
    ));

  it('sends zlib in the 0.1 media type', () =>
    serving('branches', async ({ server, root }) => {
      await using proxy = await WireProxy.start(server.url, {
        capabilities: (text) => text.replace(/ httpmediatype=\S+/, ''),
      });
      const peer = await openPeer(parseLocation(proxy.url), defaultWireSettings, unattended);
      const response = await peer.getbundle({ common: [nullNode] }, unattended);
      equal(response.mediaType, 'application/mercurial-0.1');
      equal(response.compression, 'zlib');
      match(response.reason, /0\.1 media type: always zlib/);
      const bundle = await readAll(decompressStream('zlib', response.body));
      // A changegroup without a bundle around it: the length of its first chunk, the first changeset's node.
      equal(bundle.subarray(4, 24).toString('hex'), nodesOf(root, '0')[0]);
      equal(proxy.requests.at(-1)?.headers['x-hgproto-1'], undefined);
    }));

  it('sends the legacy stream plain', () =>
    serving(
      'manyFiles',
      async ({ peer }) => {
        const capabilities = await peer.capabilities(unattended);
        equal(capabilities.offersStreamV2, false);
        const response = await peer.streamOut(unattended);
        equal(response.compression, 'none');
        match((await readAll(response.body)).subarray(0, 30).toString('latin1'), /^0\n\d+ \d+\n/);
      },
      { config: ['server.bundle2.stream=no'] },
    ));

  it('has no stream to send where its owner does not want it', () =>
    serving(
      'manyFiles',
      async ({ peer }) => {
        equal((await peer.capabilities(unattended)).legacyStreamRequirements, undefined);
        await rejects(peer.streamOut(unattended), { kind: 'unsupported', subject: 'stream' });
      },
      { config: ['server.uncompressed=no'] },
    ));

  it('takes arguments in the body of a request where it says so', () =>
    serving(
      'branches',
      async ({ peer, server, root }) => {
        ok((await peer.capabilities(unattended)).has('httppostargs'));
        const nodes = nodesOf(root, 'all()');
        ok((await peer.known(nodes, unattended)).every(Boolean));
        equal(await peer.lookup('a tag with spaces', unattended), nodesOf(root, '"a tag with spaces"')[0]);
        equal((await readAll((await streamAll(peer)).body)).subarray(0, 4).toString(), 'HG20');
        match(await server.accessLog(), /POST \/\?cmd=known/);
      },
      { config: ['experimental.httppostargs=true'] },
    ));

  it('takes arguments in the address where it knows nothing better', () =>
    serving('branches', async ({ server, root }) => {
      await using proxy = await WireProxy.start(server.url, {
        capabilities: (text) => text.replace(/ (httpheader|batch)\S*/g, ''),
      });
      const peer = await openPeer(parseLocation(proxy.url), defaultWireSettings, unattended);
      equal((await peer.capabilities(unattended)).argumentHeaderLength, 0);
      equal(await peer.lookup('a tag with spaces', unattended), nodesOf(root, '"a tag with spaces"')[0]);
      equal(proxy.requests.at(-1)?.url, '/?cmd=lookup&key=a+tag+with+spaces');
      const { heads, known } = await peer.headsAndKnown(nodesOf(root, 'all()'), unattended);
      ok(known.length > 5 && known.every(Boolean));
      const response = await pullAll(peer, heads);
      ok((await readAll(decompressStream(response.compression, response.body))).length > 1000);
    }));

  it('is sent the headers that hg sends', () =>
    serving('branches', async ({ server }) => {
      await using proxy = await WireProxy.start(server.url);
      const peer = await openPeer(parseLocation(proxy.url), defaultWireSettings, unattended);
      await peer.headsAndKnown([], unattended);
      await readAll((await streamAll(peer)).body);
      const ours = [...proxy.requests];
      await using folder = await temporaryDirectory();
      equal((await runHg(['clone', '-U', '--stream', proxy.url, join(folder.path, 'clone')])).code, 0);
      const theirs = proxy.requests.slice(ours.length);
      for (const [at, { method, url, headers }] of ours.entries()) {
        equal(method, theirs[at].method);
        equal(url, theirs[at].url);
        for (const name of ['accept', 'accept-encoding'] as const) equal(headers[name], theirs[at].headers[name]);
        match(String(headers['user-agent']), /^mercurial\/proto-1\.0 \(/);
      }
      equal(ours[1].headers['x-hgarg-1'], theirs[1].headers['x-hgarg-1']);
      equal(ours[2].headers.vary, theirs[2].headers.vary);
      // All but the promise to ask again when only a part was sent.
      equal(`${String(ours[2].headers['x-hgproto-1'])} partial-pull`, theirs[2].headers['x-hgproto-1']);
    }));

  it('answers under a prefix, with or without a slash at its end', () =>
    serving(
      'branches',
      async ({ server, root }) => {
        for (const address of [server.url, server.url.replace(/\/$/, ''), `${server.url}//`]) {
          const peer = await openPeer(parseLocation(address), defaultWireSettings, unattended);
          equal((await peer.heads(unattended)).length, nodesOf(root, 'heads(all())').length);
        }
        const parent = server.url.replace('some/place/', 'some');
        await rejects(openPeer(parseLocation(parent), defaultWireSettings, unattended), {
          kind: 'protocol',
          message: /^There is no repository at /,
        });
      },
      { prefix: 'some/place' },
    ));

  it('is told from a page about a repository', () =>
    serving('branches', async ({ server }) => {
      const page = openPeer(parseLocation(`${server.url}file/tip`), defaultWireSettings, unattended);
      await rejects(page, { kind: 'protocol' });
    }));

  it('keeps its connection for the next command', () =>
    serving('branches', async ({ peer }) => {
      const warnings: string[] = [];
      const onWarning = (warning: Error) => warnings.push(warning.message);
      process.on('warning', onWarning);
      const controller = new AbortController();
      for (let count = 0; count < 30; count++) await peer.heads({ ...unattended, signal: controller.signal });
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', onWarning);
      deepEqual(warnings, []);
    }));

  it('can be asked from the program that is made of it, with what the editor puts in the place of http.request', () =>
    serving('branches', ({ server }) => {
      // The same bundling as that of the extension; the replacement comes after it was loaded.
      const script = execFileSync('node_modules/.bin/esbuild', [
        ...['--bundle', '--platform=node', '--format=cjs', '--target=node20', '--external:@mongodb-js/zstd'],
        ...['--external:@foxglove/wasm-zstd', '--global-name=wire', 'src/engine/wire/openPeer.ts'],
      ]).toString();
      const program = `
        const module_ = { exports: {} };
        (function (module, exports) { ${script} })(module_, module_.exports);
        const http = require('node:http');
        const original = http.request;
        http.request = (...args) => { console.log('replaced'); return original(...args); };
        const settings = { stallTimeout: 1000 };
        const operation = { signal: new AbortController().signal, progress() {}, log() {} };
        const address = ${JSON.stringify(server.url)};
        module_.exports.openPeer({ scheme: 'http', address, shown: address }, settings, operation)
          .then((peer) => peer.heads(operation)).then((heads) => console.log(heads.length));`;
      const printed = execFileSync(process.execPath, ['-e', program]).toString();
      match(printed, /^replaced\nreplaced\n\d+\n$/);
      return Promise.resolve();
    }));
});
