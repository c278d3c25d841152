import { deepEqual, equal, match } from 'node:assert/strict';
import { unattended } from '../../../src/engine/io/operation';
import { nullNode } from '../../../src/engine/revlog/node';
import { authority, trusted } from '../../fixtures/certificates';
import { bundle, fails, open, quick } from '../../fixtures/facing';
import { HgServer } from '../../fixtures/hg';
import { answer, HostileServer, someCapabilities, type Hostility, type RawRequest } from '../../fixtures/hostileServer';
import { repository } from '../../fixtures/repositories';

const credentials = () => Promise.resolve({ username: 'me', password: 'secret' });
const askForPassword = { 'WWW-Authenticate': 'Basic realm="test"' };

/** Leads somewhere else, by a target that is made of each request. */
const leading =
  (target: (request: RawRequest) => string, status = 302): Hostility =>
  (request, socket) =>
    answer(socket, 'over there', 'text/html', status, { Location: target(request) });

const serving: Hostility = ({ path }, socket) =>
  answer(socket, path.includes('cmd=capabilities') ? someCapabilities : `${nullNode}\n`);

describe('a redirect', () => {
  it('is followed to a real server, and later commands go there at once', async () => {
    await using server = await HgServer.start(repository('branches'), { prefix: 'moved/here' });
    for (const status of [301, 302, 303, 307, 308]) {
      const target = ({ path }: RawRequest) => `${server.url}${path.slice(path.indexOf('?'))}`;
      await using from = await HostileServer.start(leading(target, status));
      const peer = await open(`${from.url}old/place`);
      const { compression, body } = await bundle(peer);
      equal(compression, 'none');
      await body[Symbol.asyncIterator]().return?.();
      equal(from.requests.length, 1);
      match(from.requests[0].path, /^\/old\/place\?cmd=capabilities$/);
      await peer.close();
    }
  });

  it('may be relative, and may leave the question away', async () => {
    for (const target of ['/new/place/?cmd=capabilities', 'place/?cmd=capabilities', '/new/place/']) {
      await using server = await HostileServer.start((request, socket) =>
        request.path.startsWith('/new/place/') ? serving(request, socket) : leading(() => target)(request, socket),
      );
      const peer = await open(`${server.url}new/repository`);
      await peer.heads(unattended);
      deepEqual(
        server.requests.map(({ path }) => path),
        ['/new/repository?cmd=capabilities', '/new/place/?cmd=capabilities', '/new/place/?cmd=heads'],
      );
    }
  });

  it('to what is no repository leaves the address as it was', async () => {
    await using server = await HostileServer.start(({ path }, socket) =>
      path.startsWith('/login')
        ? answer(socket, '<html>Sign in</html>', 'text/html')
        : answer(socket, '', '', 302, { Location: '/login?next=/' }),
    );
    await fails(open(`${server.url}repository`), { kind: 'protocol', message: /\/login is a web page/ });
  });

  it('in a circle, or without end, is given up', async () => {
    const circles: ((request: RawRequest) => string)[] = [
      ({ path }) => path,
      ({ path }) => (path.startsWith('/a') ? '/b' : '/a'),
      ({ path }) => `/x${path}`,
    ];
    for (const target of circles) {
      await using server = await HostileServer.start(leading(target));
      await fails(open(server.url), { kind: 'protocol', message: /redirects in a circle/ });
      equal(server.requests.length <= 11, true);
    }
  });

  it('from a secure to an insecure address is not followed, nor to anything but HTTP', async () => {
    await using insecure = await HostileServer.start(serving);
    await using secure = await HostileServer.start(
      leading(() => insecure.url),
      trusted,
    );
    const settings = { ...quick, connectTimeout: 5000, certificateAuthorities: authority };
    await fails(open(secure.url, settings), { kind: 'protocol', message: /from a secure to an insecure address/ });
    equal(insecure.requests.length, 0);
    for (const target of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'javascript:alert(1)', 'http://[']) {
      await using server = await HostileServer.start(leading(() => target));
      await fails(open(server.url), { kind: 'protocol', message: /redirects/ });
    }
  });

  it('to another host does not take the password there', async () => {
    await using other = await HostileServer.start(serving);
    await using server = await HostileServer.start((request, socket) =>
      request.headers.has('authorization')
        ? leading(({ path }) => `${other.url.replace('//', '//he:knows@')}${path.slice(1)}`)(request, socket)
        : answer(socket, '', 'text/html', 401, askForPassword),
    );
    for (const [address, settings] of [
      [server.url.replace('//', '//me:secret@'), quick],
      [server.url, { ...quick, credentials }],
    ] as const) {
      await (await open(address, settings)).close();
      equal(server.requests.at(-1)?.headers.get('authorization'), 'Basic bWU6c2VjcmV0');
      equal(other.requests.at(-1)?.headers.has('authorization'), false);
    }
  });

  it('to another host that wants a password asks for it by that name', async () => {
    await using other = await HostileServer.start((request, socket) =>
      request.headers.has('authorization')
        ? serving(request, socket)
        : answer(socket, '', 'text/html', 401, askForPassword),
    );
    await using server = await HostileServer.start(leading(({ path }) => `${other.url}${path.slice(1)}`));
    const asked: string[] = [];
    const peer = await open(server.url.replace('//', '//me:secret@'), {
      ...quick,
      credentials: ({ address }) => {
        asked.push(address);
        return Promise.resolve({ username: 'me', password: 'other' });
      },
    });
    deepEqual(asked, [other.url]);
    await peer.heads(unattended);
    equal(other.requests.at(-1)?.headers.get('authorization'), 'Basic bWU6b3RoZXI=');
  });
});
