import { ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { EngineError } from '../../src/engine/io/errors';
import { unattended } from '../../src/engine/io/operation';
import { nullNode } from '../../src/engine/revlog/node';
import type { Peer } from '../../src/engine/wire/peer';
import { defaultWireSettings } from '../../src/engine/wire/wireSettings';
import { facing, fails, head, open, patient } from '../fixtures/facing';
import { temporaryFolder } from '../fixtures/gitRepository';
import { afterCapabilities, HostileServer, someCapabilities } from '../fixtures/hostileServer';

/** Questions whose answers are short, and cannot be as long as this. */
const questions: Record<string, (peer: Peer) => Promise<unknown>> = {
  heads: (peer) => peer.heads(unattended),
  known: (peer) => peer.known([nullNode], unattended),
  lookup: (peer) => peer.lookup('tip', unattended),
  listkeys: (peer) => peer.listkeys('phases', unattended),
  branchmap: (peer) => peer.branchmap(unattended),
  batch: (peer) => peer.headsAndKnown([nullNode], unattended),
  clonebundles: (peer) => peer.clonebundles(unattended),
};
const tooLong = { kind: 'protocol', message: /longer than (1048576|67108864) bytes/ } as const;
const capabilities = `${someCapabilities} clonebundles`;
/** What an answer may take of memory: what is read of it before it is given up, as bytes and as text, and what it leaves. */
const mostMemory = 400e6;

describe('a server that sends far more than it should', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('overlong');
  after(() => folder[Symbol.dispose]());

  const forms: Record<string, (socket: Socket) => void> = {
    'in chunks without end': (socket) => {
      socket.write(`${head('application/mercurial-0.1')}Transfer-Encoding: chunked\r\n\r\n`);
      pour(socket, Buffer.from(`100000\r\n${'a'.repeat(0x100000)}\r\n`));
    },
    'of a length that it tells': (socket) => {
      socket.write(`${head('application/mercurial-0.1')}Content-Length: 99999999999\r\n\r\n`);
      pour(socket, Buffer.alloc(1 << 20, 'a'));
    },
    'until it closes the connection': (socket) => {
      socket.write(`${head('application/mercurial-0.1')}Connection: close\r\n\r\n`);
      pour(socket, Buffer.alloc(1 << 20, 'a'));
    },
  };
  for (const [form, answer] of Object.entries(forms)) {
    it(`is left, by HTTP, ${form}`, async () => {
      await withinMemory(async () => {
        await using greeting = await HostileServer.start((_request, socket) => answer(socket));
        await fails(open(greeting.url, patient), tooLong);
        await using server = await HostileServer.start(
          afterCapabilities((_request, socket) => answer(socket), capabilities),
        );
        const peer = await open(server.url, patient);
        for (const ask of Object.values(questions)) await fails(ask(peer), tooLong);
        await peer.close();
        await server.allClosed();
      });
    });
  }

  it('is told by an answer with more bytes than its length: they belong to no answer', () =>
    facing(
      (_request, socket) => {
        const body = `${nullNode}\n`;
        socket.write(
          `${head('application/mercurial-0.1')}Content-Length: ${body.length}\r\n\r\n${body}${'more '.repeat(9)}`,
        );
      },
      async (peer) => {
        await fails(peer.heads(unattended), { kind: 'network', message: /does not speak HTTP/ });
      },
    ));

  const talks: Record<string, { script: string; message: RegExp }> = {
    'before its greeting': { script: 'yes welcome', message: /does not speak as a Mercurial server does/ },
    'in one line of its greeting': { script: 'yes | tr -d "\\n"', message: /./ },
    'in an answer whose length it tells': { script: greeted('echo 99999999999; yes'), message: /longer than/ },
    'in the length itself': { script: greeted('yes 9 | tr -d "\\n"'), message: /./ },
  };
  for (const [where, { script, message }] of Object.entries(talks)) {
    it(`is left, by SSH, ${where}`, async () => {
      const program = join(folder.path, `ssh ${where}`);
      writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const settings = { ...defaultWireSettings, sshCommand: [program] };
      await withinMemory(async () => {
        const asked = open('ssh://example.org/repository', settings).then(async (peer) => {
          try {
            await peer.heads(unattended);
          } finally {
            await peer.close();
          }
        });
        await asked.then(
          () => ok(false, 'it was believed'),
          (error: unknown) => ok(error instanceof EngineError && message.test(error.message), String(error)),
        );
      });
    });
  }
});

/** A shell script that greets as a server does, and goes on with `rest`. */
function greeted(rest: string): string {
  return `echo 20; echo 'capabilities: lookup'; echo 1; echo; ${rest}`;
}

/** Writes the same bytes again and again, for as long as they are taken. */
function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

async function withinMemory(work: () => Promise<void>): Promise<void> {
  let most = 0;
  const before = process.memoryUsage().rss;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 5);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  ok(most < mostMemory, `${Math.round(most / 1e6)} MB more`);
}
