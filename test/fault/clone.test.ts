import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { EngineError } from '../../src/engine/io/errors';
import { selfSigned } from '../fixtures/certificates';
import { CloneAttempts, listing } from '../fixtures/cloneAttempts';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { cancellable, patient, quick, type Failure } from '../fixtures/facing';
import { temporaryFolder } from '../fixtures/gitRepository';
import { HgServer } from '../fixtures/hg';
import { answer, HostileServer, someCapabilities, type Hostility } from '../fixtures/hostileServer';
import { repository } from '../fixtures/repositories';
import { SlowProxy } from '../fixtures/slowProxy';
import { pseudoRandom } from '../fixtures/sourceHistory';
import { partHeader, sized, storeFiles, streaming, streamServer, streamV2 } from '../fixtures/streams';

describe('a clone that fails leaves no folder', function () {
  this.timeout(120_000);
  let attempts: CloneAttempts;
  before(() => {
    attempts = new CloneAttempts();
  });
  after(() => attempts[Symbol.asyncDispose]());

  const status =
    (code: number, headers: Record<string, string> = {}): Hostility =>
    (_request, socket) =>
      answer(socket, 'words', 'text/html', code, headers);

  const servers: Record<string, { hostility: Hostility } & Failure> = {
    'answers 401': {
      hostility: status(401, { 'WWW-Authenticate': 'Basic realm="secrets"' }),
      kind: 'authentication',
      message: /user name|password|sign/i,
    },
    'answers 403': { hostility: status(403), kind: 'authentication', message: /does not let you read/ },
    'answers 404': { hostility: status(404), kind: 'protocol', message: /404|no repository|not found/i },
    'answers 500': { hostility: status(500), kind: 'network', message: /500/ },
    'answers with a page for people': {
      hostility: (_request, socket) => answer(socket, '<html>Welcome!</html>', 'text/html'),
      kind: 'protocol',
      message: /is a web page, not a Mercurial repository/,
    },
    'speaks Git': {
      hostility: (_request, socket) =>
        answer(socket, '001e# service=git-upload-pack\n0000', 'application/x-git-upload-pack-advertisement'),
      kind: 'protocol',
      message: /is a Git server/,
    },
    'redirects in a circle': {
      hostility: ({ path }, socket) =>
        answer(socket, '', 'text/plain', 302, {
          Location: path.startsWith('/a') ? `/b${path.slice(2)}` : '/a?cmd=capabilities',
        }),
      kind: 'protocol',
      message: /redirects in a circle/,
    },
    'says nothing': { hostility: () => undefined, kind: 'network', message: /has sent nothing for 0\.3 seconds/ },
    'stands still within the stream': {
      hostility: (request, socket) => {
        const stream = streamV2([{ name: 'data/a.i', bytes: 'x'.repeat(100_000) }]);
        const partly = Object.create(socket, { end: { value: socket.write.bind(socket) } }) as typeof socket;
        streaming(stream, 2, 'cut', 50_000)(request, partly);
      },
      kind: 'network',
      message: /sent nothing for 0\.3 seconds/,
    },
    'gives up in the middle of its bundle': {
      hostility: ({ path }, socket) =>
        answer(
          socket,
          path.includes('capabilities') ? someCapabilities : '\x04noneHG20\0\0\0\0',
          path.includes('capabilities') ? undefined : 'application/mercurial-0.2',
        ),
      kind: 'network',
      message: /ended after/,
    },
  };
  for (const [what, { hostility, ...failure }] of Object.entries(servers)) {
    it(`when the server ${what}`, async () => {
      await using server = await HostileServer.start(hostility);
      await attempts.fails(server.url, failure);
    });
  }

  it('when nobody is there', async () => {
    const server = await HostileServer.silent();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    await attempts.fails(url, { kind: 'network', message: /nothing answers there/, advice: /port/ });
  });

  it('when the certificate is not to be trusted', async () => {
    await using server = await HostileServer.start((_request, socket) => answer(socket, someCapabilities), selfSigned);
    await attempts.fails(
      server.url,
      { kind: 'network', message: /signed by itself|cannot be verified/ },
      {
        settings: { ...quick, connectTimeout: 5000 },
      },
    );
  });

  it('when something is at the destination, which stays as it is', async () => {
    await using server = await streamServer(streamV2(storeFiles(repository('branches'))), 2);
    await attempts.fails(
      server.url,
      { kind: 'destination', message: /not empty/ },
      {
        prepare: (parent) => {
          mkdirSync(join(parent, 'clone'));
          writeFileSync(join(parent, 'clone', 'mine'), 'mine');
        },
      },
    );
    await attempts.fails(
      server.url,
      { kind: 'destination', message: /file/ },
      {
        prepare: (parent) => writeFileSync(join(parent, 'clone'), 'mine'),
      },
    );
    equal(server.requests.length, 0, 'the server was asked although there is no place for its answer');
  });

  it('when its parent takes no folders', async () => {
    await using server = await streamServer(streamV2([]), 2);
    // Even those who may do everything cannot make folders there.
    await attempts.fails(server.url, { kind: 'destination', message: /./ }, { name: '/proc/deltascope/clone' });
  });

  it('when the disk fills up, in the store or in the working copy', async () => {
    using program = await DeltascopeProgram.build();
    await using server = await HgServer.start(repository('zlib'));
    using disk = smallDisk();
    for (const flags of [['-U'], []]) {
      const run = disk.run([process.execPath, program.script, 'clone', ...flags, server.url, join(disk.path, 'clone')]);
      equal(run.status, 1, run.stderr);
      ok(run.stderr.includes('destination: '), run.stderr);
      ok(/disk is full|larger than this disk allows/.test(run.stderr), run.stderr);
      deepEqual(readdirSync(disk.path), []);
    }
  });

  it('when a compressed stream swells without end, and memory stays as it is', async () => {
    const honest = streamV2(storeFiles(repository('branches')));
    const endless = Buffer.concat([sized(partHeader('noise')), Buffer.from([0x7f, 0xff, 0xff, 0xff])]);
    const bomb = deflateSync(Buffer.concat([honest.subarray(0, -4), endless, Buffer.alloc(300_000_000)]), { level: 1 });
    await using server = await HostileServer.start(({ path }, socket) => {
      if (path.includes('cmd=capabilities')) answer(socket, someCapabilities);
      else answer(socket, Buffer.concat([Buffer.from('\x04zlib'), bomb]), 'application/mercurial-0.2');
    });
    const before = process.memoryUsage().rss;
    await attempts.fails(server.url, { kind: 'network', message: /ended after/ });
    ok(process.memoryUsage().rss - before < 100_000_000, `${process.memoryUsage().rss - before}`);
  });

  it('when it is cancelled, at any of 30 moments', async () => {
    await using server = await HgServer.start(repository('manyFiles'));
    await using proxy = await SlowProxy.start(server.url, 400_000);
    const random = pseudoRandom(17);
    // Whatever a first clone opens to keep, such as its worker, is open by then.
    await attempts.clone(server.url, join(attempts.freshFolder(), 'clone'), patient);
    const before = clonesOpen();
    let stopped = 0;
    for (let moment = 0; moment < 30; moment++) {
      const parent = attempts.freshFolder();
      const operation = cancellable();
      const cloning = attempts.clone(proxy.url, join(parent, 'clone'), patient, undefined, operation);
      const outcome = cloning.then(
        () => 'done',
        (error: unknown) => (error instanceof EngineError ? error.kind : String(error)),
      );
      await wait(random() * 450);
      operation.cancel();
      const result = await outcome;
      if (result === 'cancelled') {
        stopped++;
        deepEqual(listing(parent), []);
        deepEqual(clonesOpen(), before);
      } else {
        equal(result, 'done');
        deepEqual(readdirSync(parent), ['clone']);
      }
    }
    ok(stopped >= 15, `${stopped} of 30 were stopped`);
    await proxy.allClosed();
  });

  it('before it begins, when it was cancelled by then', async () => {
    const operation = cancellable();
    operation.cancel();
    const parent = attempts.freshFolder();
    await rejects(attempts.clone('http://127.0.0.1:1/', join(parent, 'clone'), quick, { kind: 'none' }, operation), {
      kind: 'cancelled',
    });
    deepEqual(listing(parent), []);
  });
});

/** Files of clones that this process has open. Only Linux tells; elsewhere nothing is ever open. */
function clonesOpen(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = openPath(fd);
    return path?.includes('/clone') === true || path?.includes('.clone.deltascope') === true ? [path] : [];
  });
}

function openPath(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

/** A place where little fits: a small file system of its own where one may be mounted, a limit on files elsewhere. */
function smallDisk(): Disposable & {
  path: string;
  run: (command: string[]) => { status: number | null; stderr: string };
} {
  const folder = temporaryFolder('disk');
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', folder.path]).status === 0;
  const limit = isMounted ? '' : 'ulimit -f 64; ';
  return {
    path: folder.path,
    run: (command) => {
      const run = spawnSync('bash', ['-c', `${limit}exec "$@"`, 'bash', ...command], { encoding: 'utf8' });
      return { status: run.status, stderr: run.stderr };
    },
    [Symbol.dispose]: () => {
      if (isMounted) spawnSync('umount', [folder.path]);
      folder[Symbol.dispose]();
    },
  };
}
