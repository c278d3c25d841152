import { equal, ok, rejects } from 'node:assert/strict';
import type { Socket } from 'node:net';
import { EngineError } from '../../src/engine/io/errors';
import { unattended } from '../../src/engine/io/operation';
import { nullNode } from '../../src/engine/revlog/node';
import type { Peer } from '../../src/engine/wire/peer';
import { bundle, facing, fails, head, open, type Failure } from '../fixtures/facing';
import { afterCapabilities, answer, HostileServer, someCapabilities } from '../fixtures/hostileServer';
import { pseudoRandom } from '../fixtures/sourceHistory';

describe('an answer', () => {
  const foreign: Record<string, { send: (socket: Socket) => void } & Failure> = {
    'that is a web page': {
      send: (socket) => answer(socket, '<!DOCTYPE html><html>Welcome!</html>', 'text/html; charset=utf-8'),
      kind: 'protocol',
      message: /is a web page, not a Mercurial repository/,
      advice: /address/,
    },
    'of a Git server': {
      send: (socket) =>
        answer(socket, '001e# service=git-upload-pack\n0000', 'application/x-git-upload-pack-advertisement'),
      kind: 'protocol',
      message: /is a Git server/,
    },
    'in JSON': {
      send: (socket) => answer(socket, '{"error": "no"}', 'application/json'),
      kind: 'protocol',
      message: /speaks JSON/,
    },
    'of no type': { send: (socket) => answer(socket, '', ''), kind: 'protocol', message: /is of no known type/ },
    'of a type with control characters': {
      send: (socket) => answer(socket, 'x', 'text/\x80plain'),
      kind: 'protocol',
      message: /is of type [^\x80]*, not/,
    },
    'of a server from long ago': {
      send: (socket) => answer(socket, 'x', 'application/hg-changegroup'),
      kind: 'unsupported',
      message: /too old/,
    },
    'of a server from the future': {
      send: (socket) => answer(socket, 'x', 'application/mercurial-0.3'),
      kind: 'protocol',
      message: /application\/mercurial-0\.3, which nobody asked for/,
    },
    "with the server's own words": {
      send: (socket) => answer(socket, 'out of\x1b[31m\r\n luck: \xc3\xa9\n', 'application/hg-error'),
      kind: 'protocol',
      message: /^The server says: out of \[31m luck: é\.$/,
    },
    'that a proxy has compressed': {
      send: (socket) => answer(socket, 'x', undefined, 200, { 'Content-Encoding': 'gzip' }),
      kind: 'protocol',
      message: /in the encoding gzip/,
      advice: /proxy/,
    },
    'in the wrong media type': {
      send: (socket) => answer(socket, '\x04none', 'application/mercurial-0.2'),
      kind: 'protocol',
      message: /application\/mercurial-0\.2, which was not asked for/,
    },
    'that has a head without end': {
      send: (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'X-Header: x\r\n'.repeat(100_000)}`),
      kind: 'network',
      message: /too long/,
    },
  };
  for (const [name, { send, ...expected }] of Object.entries(foreign)) {
    it(`${name} is told for what it is`, async () => {
      await using server = await HostileServer.start((_request, socket) => send(socket));
      await fails(open(server.url), expected);
    });
  }

  const statuses: (Failure & { status: number; headers?: Record<string, string>; type?: string; body?: string })[] = [
    { status: 401, kind: 'authentication', message: /wants a user name and password/ },
    {
      status: 401,
      headers: { 'WWW-Authenticate': 'Negotiate, Bearer realm="x, Basic"' },
      kind: 'authentication',
      message: /does not have: negotiate, bearer\.$/,
    },
    { status: 403, kind: 'authentication', message: /does not let you read/ },
    { status: 404, kind: 'protocol', message: /^There is no repository at http:\/\/127\.0\.0\.1:\d+\/\.$/ },
    { status: 405, kind: 'protocol', message: /not a Mercurial server/ },
    { status: 406, kind: 'protocol', message: /not a Mercurial server/ },
    { status: 407, kind: 'authentication', message: /proxy wants/ },
    { status: 414, kind: 'protocol', message: /too long/ },
    { status: 429, kind: 'network', message: /too busy/ },
    { status: 431, kind: 'protocol', message: /too long/ },
    { status: 500, kind: 'network', message: /failed with status 500\.$/, type: 'text/html', body: '<html>trace' },
    { status: 500, kind: 'network', message: /It says: disk failure\.$/, type: 'text/plain', body: 'disk failure' },
    { status: 503, kind: 'network', message: /failed with status 503/ },
    { status: 418, kind: 'protocol', message: /answered with status 418/ },
    { status: 302, kind: 'protocol', message: /answered with status 302/ },
    { status: 204, kind: 'protocol', message: /of no known type/, type: '' },
  ];
  for (const { headers, type, body = '', ...expected } of statuses) {
    it(`of status ${expected.status} (${String(expected.message)}) is told for what it is`, async () => {
      await using server = await HostileServer.start((_request, socket) =>
        answer(socket, body, type, expected.status, headers),
      );
      const { status, ...failure } = expected;
      await fails(open(server.url), status < 300 ? failure : expected);
    });
  }

  it('that should be short is not read without end', async () => {
    const endless = (socket: Socket) => {
      socket.write(`${head('application/mercurial-0.1')}Transfer-Encoding: chunked\r\n\r\n`);
      const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    };
    await using server = await HostileServer.start((_request, socket) => endless(socket));
    await fails(open(server.url), { kind: 'protocol', message: /capabilities is longer than 1048576 bytes/ });
    await facing(
      (_request, socket) => endless(socket),
      (peer) =>
        fails(peer.listkeys('bookmarks', unattended), { kind: 'protocol', message: /longer than 67108864 bytes/ }),
    );
  });

  it('that makes no sense is refused', async () => {
    const commands: Record<string, { bodies: string[]; ask: (peer: Peer) => Promise<unknown> }> = {
      heads: { bodies: ['', '\n', 'zz', 'a'.repeat(39), `${'a'.repeat(40)} x`], ask: (peer) => peer.heads(unattended) },
      known: { bodies: ['', '1', '1x', '111'], ask: (peer) => peer.known([nullNode, nullNode], unattended) },
      lookup: { bodies: ['', '1', '1 zz', '2 x', '0'], ask: (peer) => peer.lookup('x', unattended) },
      branchmap: { bodies: ['default', 'default zz', ' '], ask: (peer) => peer.branchmap(unattended) },
      listkeys: { bodies: ['no tab here'], ask: (peer) => peer.listkeys('x', unattended) },
      batch: { bodies: ['', 'x', 'x;y', 'a;b;c'], ask: (peer) => peer.headsAndKnown([], unattended) },
    };
    for (const [command, { bodies, ask }] of Object.entries(commands)) {
      for (const body of bodies) {
        await facing(
          (_request, socket) => answer(socket, body),
          (peer) => rejects(ask(peer), { kind: 'protocol' }, `${command} ${body}`),
        );
      }
    }
    for (const body of ['', '\0\0', 'hello', '<html>']) {
      await using server = await HostileServer.start((_request, socket) => answer(socket, body));
      await fails(open(server.url), { kind: 'protocol', message: /does not list what a Mercurial server can do/ });
    }
  });

  it('with bits turned is read or refused, and nothing else', async () => {
    const random = pseudoRandom(21);
    const node = '0123456789abcdef0123456789abcdef01234567';
    let body = '';
    const turn = (text: string) => {
      const bytes = Buffer.from(text, 'latin1');
      bytes[Math.floor(random() * bytes.length)] ^= 1 << Math.floor(random() * 8);
      body = bytes.toString('latin1');
    };
    const attempt = async (promise: Promise<unknown>) => {
      try {
        await promise;
      } catch (error) {
        ok(error instanceof EngineError && error.kind === 'protocol', String(error));
      }
    };
    await facing(
      (_request, socket) => answer(socket, body),
      async (peer) => {
        for (let count = 0; count < 50; count++) {
          turn(`${node} ${node}\n`);
          await attempt(peer.heads(unattended));
          turn('10');
          await attempt(peer.known([nullNode, nullNode], unattended));
          turn(`1 ${node}\n`);
          await attempt(peer.lookup('x', unattended));
          turn(`default ${node} ${node}\nb%20c ${node}`);
          await attempt(peer.branchmap(unattended));
          turn(`${node};11`);
          await attempt(peer.headsAndKnown([nullNode, nullNode], unattended));
          turn(`name\t${node}\nother\t1`);
          await attempt(peer.listkeys('x', unattended));
        }
      },
    );
    await using server = await HostileServer.start((_request, socket) => answer(socket, body));
    for (let count = 0; count < 100; count++) {
      turn(someCapabilities);
      await attempt(open(server.url));
    }
  });

  it('in an engine that is not known is refused, and its connection closed', () =>
    facing(
      (_request, socket) => socket.write(`${head('application/mercurial-0.2')}Content-Length: 1000\r\n\r\n\x04lzmaxyz`),
      async (peer, server) => {
        await fails(bundle(peer), { kind: 'unsupported', message: /"lzma"/ });
        await server.allClosed();
      },
    ));

  it('of a server without what is asked for is not even asked for', async () => {
    await using server = await HostileServer.start(afterCapabilities(() => undefined, 'lookup branchmap'));
    const peer = await open(server.url);
    const { length } = server.requests;
    await fails(bundle(peer), { kind: 'unsupported', message: /has no getbundle/ });
    await fails(peer.streamOut(unattended), { kind: 'unsupported', message: /has no stream/ });
    await fails(peer.known([nullNode], unattended), { kind: 'unsupported', message: /has no known/ });
    equal(server.requests.length, length);
  });
});
