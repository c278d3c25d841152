import { deepEqual, equal, ok } from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { unattended } from '../../src/engine/io/operation';
import { nullNode } from '../../src/engine/revlog/node';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { authority, expired, forAnotherHost, selfSigned, trusted } from '../fixtures/certificates';
import { bundle, cancellable, facing, fails, head, open, quick, readAll, type Failure } from '../fixtures/facing';
import { answer, HostileServer, someCapabilities, type Hostility } from '../fixtures/hostileServer';

const cancelled: Failure = { kind: 'cancelled', message: /^Cancelled/ };
const none = Buffer.from('\x04none', 'latin1');

describe('a connection', () => {
  it('that nobody takes is told from a host that is not there', async () => {
    const server = await HostileServer.silent();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    await fails(open(url), { kind: 'network', message: /nothing answers there/, advice: /port/ });
    await fails(open('http://no-such-host.invalid/'), { kind: 'network', message: /host name/ });
  });

  it('that is closed without an answer says so', async () => {
    await using server = await HostileServer.start((_request, socket) => socket.destroy());
    await fails(open(server.url), { kind: 'network', message: /closed the connection/ });
  });

  it('to something that does not speak HTTP says so', async () => {
    await using server = await HostileServer.start((_request, socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await fails(open(server.url), { kind: 'network', message: /does not speak HTTP/, advice: /https/ });
  });

  it('by TLS to what does not speak it, and without to what does', async () => {
    await using plain = await HostileServer.start((_request, socket) => answer(socket, someCapabilities));
    // A server of real HTTP answers the greeting of TLS in its own way; ours waits for a line that ends.
    const http = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const port = (http.address() as { port: number }).port;
    await fails(open(`https://127.0.0.1:${port}/`), {
      kind: 'network',
      message: /does not speak TLS/,
      advice: /http:/,
    });
    await new Promise((resolve) => http.close(resolve));

    await fails(open(plain.url.replace('http:', 'https:')), { kind: 'network', message: /within 0\.3 seconds/ });

    await using secure = await HostileServer.start((_request, socket) => answer(socket, someCapabilities), trusted);
    await fails(open(secure.url.replace('https:', 'http:')), {
      kind: 'network',
      message: /closed the connection|HTTP/,
    });
  });

  it('by TLS wants a certificate that can be trusted', async () => {
    const settings = { ...quick, connectTimeout: 5000, certificateAuthorities: authority };
    const serve: Hostility = (_request, socket) => answer(socket, someCapabilities);
    const cases = [
      { certificate: expired, message: /has expired/ },
      { certificate: forAnotherHost, message: /is for another host/ },
      { certificate: selfSigned, message: /is signed by itself/ },
    ];
    for (const { certificate, message } of cases) {
      await using server = await HostileServer.start(serve, certificate);
      await fails(open(server.url, settings), { kind: 'network', message });
    }
    await using server = await HostileServer.start(serve, trusted);
    await fails(open(server.url, quick), { kind: 'network', message: /cannot be verified/, advice: /trust/ });
    for (const trusting of [settings, { ...quick, rejectUnauthorized: false }]) {
      await (await open(server.url, trusting)).close();
    }
  });

  it('that was kept and is closed by the time of the next request is made again', async () => {
    const hostility: Hostility = ({ path, connection }, socket) => {
      if (path.includes('capabilities')) answer(socket, someCapabilities);
      else if (connection === 1) socket.destroy();
      else answer(socket, `${nullNode}\n`);
    };
    await using server = await HostileServer.start(hostility);
    const peer = await open(server.url);
    deepEqual(await peer.heads(unattended), []);
    deepEqual(
      server.requests.map(({ connection }) => connection),
      [1, 1, 2],
    );
  });
});

describe('a server that stands still', () => {
  it('before its answer is given up after a while', async () => {
    await using server = await HostileServer.silent();
    await fails(open(server.url), {
      kind: 'network',
      message: /has sent nothing for 0\.3 seconds/,
      advice: /timeout/i,
    });
    await server.allClosed();
  });

  it('before TLS is made is given up after a while', async () => {
    await using server = await HostileServer.silent();
    const address = server.url.replace('http:', 'https:');
    await fails(open(address), { kind: 'network', message: /Could not connect to .* within 0\.3 seconds/ });
  });

  it('in its head, byte after byte, is given up after a while', async () => {
    let timer: NodeJS.Timeout | undefined;
    await using server = await HostileServer.start((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      timer = setInterval(() => socket.write('x'), 50);
    });
    await fails(open(server.url), { kind: 'network', message: /sent nothing|0\.3 seconds/ });
    clearInterval(timer);
  });

  it('within a body is given up, with what had come', () =>
    facing(
      (_request, socket) =>
        socket.write(`${head('application/mercurial-0.2')}Content-Length: 1000\r\n\r\n\x04none12345`),
      async (peer, server) => {
        const { body } = await bundle(peer);
        await fails(readAll(body), { kind: 'network', message: /nothing for 0\.3 seconds, after 10 bytes/ });
        await server.allClosed();
      },
    ));

  it('is not blamed for a reader that takes its time', () =>
    facing(
      (_request, socket) =>
        answer(socket, Buffer.concat([none, Buffer.alloc(20_000_000)]), 'application/mercurial-0.2'),
      async (peer) => {
        const { body } = await bundle(peer);
        let length = 0;
        let pauses = 0;
        for await (const bytes of body) {
          length += bytes.length;
          if (length > 5_000_000 && pauses++ === 0) await new Promise((resolve) => setTimeout(resolve, 700));
        }
        equal(length, 20_000_000);
      },
    ));
});

describe('a transfer', () => {
  const breaks: Record<string, { send: (socket: Socket) => void; message: RegExp }> = {
    'that ends before its length': {
      send: (socket) => socket.end(`${head('application/mercurial-0.2')}Content-Length: 1000\r\n\r\n\x04none12345`),
      message: /broke off after 10 bytes/,
    },
    'that ends between its chunks': {
      send: (socket) =>
        socket.end(`${head('application/mercurial-0.2')}Transfer-Encoding: chunked\r\n\r\na\r\n\x04none12345\r\n`),
      message: /broke off after 10 bytes/,
    },
    'that ends within a chunk': {
      send: (socket) =>
        socket.end(`${head('application/mercurial-0.2')}Transfer-Encoding: chunked\r\n\r\nffff\r\n\x04none12345`),
      message: /broke off after 10 bytes/,
    },
    'whose chunks are malformed': {
      send: (socket) =>
        socket.write(
          `${head('application/mercurial-0.2')}Transfer-Encoding: chunked\r\n\r\na\r\n\x04none12345\r\nzz\r\n`,
        ),
      message: /broke off after 10 bytes: the answer is malformed/,
    },
    'that is reset': {
      send: (socket) => {
        socket.write(`${head('application/mercurial-0.2')}Content-Length: 1000\r\n\r\n\x04none12345`);
        setTimeout(() => socket.resetAndDestroy(), 50);
      },
      message: /broke off after 10 bytes: the other side closed/,
    },
  };
  for (const [name, { send, message }] of Object.entries(breaks)) {
    it(`${name} says how far it came`, () =>
      facing(
        (_request, socket) => send(socket),
        async (peer) => {
          const failure = (async () => readAll((await bundle(peer)).body))();
          await fails(failure, { kind: 'network', message });
        },
      ));
  }

  it('that ends before it names its compression says so', () =>
    facing(
      (_request, socket) => answer(socket, '\x04no', 'application/mercurial-0.2'),
      (peer) => fails(bundle(peer), { kind: 'network', message: /after 3 bytes, before it named its compression/ }),
    ));

  it('is only as fast as it is read', () => {
    let sent = 0;
    const hostility: Hostility = (_request, socket) => {
      socket.write(`${head('application/mercurial-0.2')}Content-Length: 10000000000\r\n\r\n\x04none`);
      const piece = Buffer.alloc(1 << 20);
      const more = () => {
        while (!socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) break;
        }
      };
      socket.on('drain', more);
      more();
    };
    return facing(hostility, async (peer, server) => {
      const { body } = await bundle(peer);
      const iterator = body[Symbol.asyncIterator]();
      await iterator.next();
      await new Promise((resolve) => setTimeout(resolve, 300));
      // What the system keeps for a connection over loopback, on both sides.
      ok(sent < 32 << 20, `${sent} bytes were taken from the server`);
      await iterator.return?.();
      await server.allClosed();
    });
  });

  it('lets its connection go when it is not wanted, even unread', () =>
    facing(
      (_request, socket) =>
        socket.write(`${head('application/mercurial-0.2')}Content-Length: 1000\r\n\r\n\x04none12345`),
      async (peer, server) => {
        await bundle(peer);
        ok(server.openConnections > 0);
        const { body } = await bundle(peer);
        await body[Symbol.asyncIterator]().return?.();
        await peer.close();
        await server.allClosed();
      },
    ));
});

describe('cancelling', () => {
  it('ends what waits for a connection, for an answer and for bytes, and leaves nothing behind', async () => {
    await using silent = await HostileServer.silent();
    for (const address of [silent.url, silent.url.replace('http:', 'https:')]) {
      const operation = cancellable();
      const opening = open(address, defaultWireSettings, operation);
      setTimeout(operation.cancel, 100);
      await fails(opening, cancelled);
      await silent.allClosed();
    }
    await facing(
      (_request, socket) =>
        socket.write(`${head('application/mercurial-0.2')}Content-Length: 1000\r\n\r\n\x04none12345`),
      async (peer, server) => {
        const operation = cancellable();
        const { body } = await bundle(peer, operation);
        setTimeout(operation.cancel, 50);
        await fails(readAll(body), cancelled);
        await server.allClosed();
      },
    );
  });

  it('comes first where it came before', async () => {
    const operation = cancellable();
    operation.cancel();
    await using server = await HostileServer.silent();
    await fails(open(server.url, quick, operation), cancelled);
    equal(server.requests.length, 0);
  });

  it('does not wait for a person who is being asked', async () => {
    await using server = await HostileServer.start((_request, socket) =>
      answer(socket, '', 'text/html', 401, { 'WWW-Authenticate': 'Basic realm="r"' }),
    );
    const operation = cancellable();
    const credentials = () => {
      setTimeout(operation.cancel, 20);
      return new Promise<undefined>(() => undefined);
    };
    await fails(open(server.url, { ...quick, credentials }, operation), cancelled);
  });
});
