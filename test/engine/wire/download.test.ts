import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { unattended } from '../../../src/engine/io/operation';
import { openDownload } from '../../../src/engine/wire/download';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { CuttingServer, type CuttingOptions } from '../../fixtures/cuttingServer';
import { cancellable } from '../../fixtures/facing';
import { afterCapabilities, HostileServer } from '../../fixtures/hostileServer';
import { randomBytesOf } from '../../fixtures/sourceHistory';

const file = randomBytesOf(400_000, 7);
const settings = { ...defaultWireSettings, retryDelay: 1, stallTimeout: 500 };

async function fetched(url: string, operation = unattended): Promise<{ bytes: Buffer; resumptions: number }> {
  const download = await openDownload(new URL(url), settings, operation);
  const pieces: Uint8Array[] = [];
  for await (const bytes of download.body) pieces.push(bytes);
  return { bytes: Buffer.concat(pieces), resumptions: download.resumptions() };
}

describe('a download', () => {
  const whole = async (options: CuttingOptions) => {
    await using server = await CuttingServer.start(file, options);
    const { bytes, resumptions } = await fetched(server.url);
    ok(bytes.equals(file));
    return { resumptions, ranges: server.ranges, sent: server.sent };
  };

  it('comes whole, in one request where nothing breaks', async () => {
    deepEqual(await whole({}), { resumptions: 0, ranges: [''], sent: file.length });
  });

  for (const version of ['etag', 'date'] as const) {
    it(`goes on where its connection broke, as often as that brings bytes; the version by ${version}`, async () => {
      const { resumptions, ranges, sent } = await whole({ cutAfter: 30_000, cuts: 12, version });
      equal(resumptions, 12);
      deepEqual(ranges.slice(0, 3), ['', 'bytes=30000-', 'bytes=60000-']);
      equal(sent, file.length, 'nothing is sent twice');
    });
  }

  it('passes over what it has, from a server that sends no parts', async () => {
    const { resumptions } = await whole({ cutAfter: 100_000, cuts: 2, ranges: false });
    equal(resumptions, 2);
  });

  it('waits for a server that is busy', async () => {
    const { ranges } = await whole({ cutAfter: 100_000, cuts: 1, busy: 3 });
    equal(ranges.length, 5);
  });

  it('gives up where it does not get further, and says how far it got', async () => {
    await using server = await CuttingServer.start(file, { cutAfter: 50_000, cuts: 1, busy: 1000 });
    await rejects(fetched(server.url), {
      kind: 'network',
      offset: 50_000,
      message: /broke off after 50000 of 400000 bytes: asking for the rest 5 times did not help/,
    });
  });

  it('does not join parts of two files', async () => {
    for (const version of ['etag', 'date'] as const) {
      await using server = await CuttingServer.start(file, { cutAfter: 100_000, cuts: 1, version });
      const download = await openDownload(new URL(server.url), settings, unattended);
      server.replace(randomBytesOf(400_000, 8));
      await rejects(
        async () => {
          for await (const bytes of download.body) ok(bytes.length > 0);
        },
        { kind: 'network', message: /has another file there now/ },
      );
    }
    for (const version of ['weak', 'none'] as const) {
      await using server = await CuttingServer.start(file, { cutAfter: 100_000, cuts: 1, version });
      await rejects(fetched(server.url), { kind: 'network', message: /does not say which version/ });
      equal(server.ranges.length, 1);
    }
  });

  it('can be cancelled while it waits to go on', async () => {
    await using server = await CuttingServer.start(file, { cutAfter: 50_000, cuts: 1 });
    const operation = cancellable();
    const slow = { ...settings, retryDelay: 60_000 };
    const watched = { ...operation, log: () => operation.cancel() };
    const download = await openDownload(new URL(server.url), slow, watched);
    await rejects(
      async () => {
        for await (const bytes of download.body) ok(bytes.length > 0);
      },
      { kind: 'cancelled' },
    );
  });

  it('is refused by name of what stands in the way', async () => {
    const answers: [string, object][] = [
      ['404 Not Found', { kind: 'protocol', message: /There is no file at/ }],
      ['403 Forbidden', { kind: 'authentication' }],
      ['401 Unauthorized', { kind: 'authentication' }],
      ['500 Internal Server Error', { kind: 'network' }],
      ['204 No Content', { kind: 'protocol' }],
      ['302 Found\r\nLocation: ftp://example.org/x', { kind: 'protocol', message: /redirects to/ }],
      ['302 Found\r\nLocation: /again', { kind: 'protocol', message: /redirects to/ }],
    ];
    for (const [answer, expected] of answers) {
      await using server = await HostileServer.start((_request, socket) => {
        socket.write(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\n\r\n`);
      });
      await rejects(fetched(server.url), expected, answer);
    }
  });

  it('takes no more than was promised from a server that sends more', async () => {
    await using server = await HostileServer.start(
      afterCapabilities((_request, socket) => {
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${'x'.repeat(100_000)}`);
      }),
    );
    await rejects(fetched(server.url), { kind: 'network' });
  });
});
