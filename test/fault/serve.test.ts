import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { argumentHeaders, encodeForm } from '../../src/engine/wire/encodeArguments';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { runHg } from '../fixtures/hg';
import { hgEnvironment, tryHg } from '../fixtures/hgCommand';
import { roundsOf } from '../fixtures/howMuch';
import { largeFiles } from '../fixtures/largeFiles';
import { peakMemory, ServerProgram, takeAnswer } from '../fixtures/measuredServer';
import { pseudoRandom } from '../fixtures/sourceHistory';
import { askRaw, hgBundleCaps, streamArguments } from '../fixtures/wireRequest';

const uncompressed = { 'X-HgProto-1': '0.1 0.2 comp=none' };
const stream = { args: streamArguments, headers: uncompressed };
const mostMemory = 200;
const patience = 20_000;

describe('a server under load', function () {
  this.timeout(600_000);
  const folder = temporaryFolder('serve-load');
  let program: DeltascopeProgram;
  let server: ServerProgram;
  let root: string;
  let idleFiles: number;
  before(async () => {
    program = await DeltascopeProgram.build();
    root = largeFiles(join(folder.path, 'large'), 6, roundsOf(100e6, 24e6));
    const { script, environment } = program;
    const command = [process.execPath, script, 'serve', '--json', '--port', '0', root];
    server = await ServerProgram.start(command, environment, /"address":"([^"]+)"/);
    await takeAnswer(server.url, 'getbundle', stream);
    idleFiles = await filesWhenIdle(server, 0);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('serves those who wait for their answers, whatever others do', async () => {
    const random = pseudoRandom(31);
    const whole = await hashOf(server.url);
    for (let round = 0; round < roundsOf(4, 1); round++) {
      const slow = Array.from({ length: 10 }, () => readSlowly(server.url));
      const killed = Array.from({ length: 20 }, () =>
        takeAnswer(server.url, 'getbundle', { ...stream, enough: Math.floor(random() * 20e6) }),
      );
      const clone = join(folder.path, `clone-${round}`);
      const clones = runHg(['clone', '-q', '-U', '--stream', server.url, clone], { env: hgEnvironment });
      const others = await Promise.all(Array.from({ length: 19 }, () => hashOf(server.url)));
      deepEqual(new Set(others), new Set([whole]));
      await Promise.all(killed);
      const { code, stderr } = await clones;
      equal(code, 0, stderr);
      equal(tryHg(clone, ['verify', '-q']).code, 0);
      // Those who read slowly are still there, and are not in the way of a short answer.
      for (const one of slow) ok(one.isOpen());
      match((await askRaw(server.url, 'heads')).body.toString(), /^[0-9a-f]{40}\n$/);
      for (const one of slow) one.leave();
    }
    equal(await filesWhenIdle(server, idleFiles), idleFiles);
    ok(peakMemory(server.pid) < mostMemory, `${peakMemory(server.pid)} MB`);
    ok(server.runs);
  });

  it('answers wrong requests with errors, thousands of them', async () => {
    const random = pseudoRandom(37);
    const kinds = Object.entries(wrongRequests);
    const rounds = roundsOf(400, 20);
    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        kinds.map(async ([name, { make, answer }]) => {
          const said = await say(portOf(server), make(random));
          match(said, answer, `${name}: ${JSON.stringify(said.slice(0, 300))}`);
        }),
      );
    }
    match((await askRaw(server.url, 'heads')).body.toString(), /^[0-9a-f]{40}\n$/);
    equal(await filesWhenIdle(server, idleFiles), idleFiles);
    ok(peakMemory(server.pid) < mostMemory, `${peakMemory(server.pid)} MB`);
    // What went wrong was foreseen: no mistake of the program's own is among it.
    equal(
      /^.*(?:TypeError|RangeError|Cannot read|undefined|is not a function).*$/m.exec(server.complaints())?.[0],
      undefined,
    );
  });

  it('survives valid requests with bytes turned round', async () => {
    const random = pseudoRandom(41);
    for (let round = 0; round < roundsOf(400, 20); round++) {
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          const bytes = get('getbundle', { cg: '0', heads: 'f'.repeat(40), bundlecaps: hgBundleCaps });
          for (let turned = 0; turned < 3; turned++) {
            bytes[Math.floor(random() * bytes.length)] ^= 1 << Math.floor(random() * 8);
          }
          // Some are still right, some end too early; each is answered, or the connection closed.
          await say(portOf(server), bytes, true);
        }),
      );
    }
    match((await askRaw(server.url, 'heads')).body.toString(), /^[0-9a-f]{40}\n$/);
    equal(await filesWhenIdle(server, idleFiles), idleFiles);
    ok(server.runs);
  });
});

interface WrongRequest {
  make: (random: () => number) => Buffer;
  /** What its answer looks like. */
  answer: RegExp;
}

const refused = /^HTTP\/1\.1 4\d\d /;
/** Told in the form that Mercurial's own errors have, or as an answer that says no. */
const toldWithError = /^HTTP\/1\.1 (?:4\d\d |200 OK\r\n[^]*(?:application\/hg-error|ERROR:ABORT|\r\n\r\n0 ))/i;
const large = 400_000;

const wrongRequests: Record<string, WrongRequest> = {
  rubbish: {
    make: (random) => Buffer.concat([Buffer.from(Array.from({ length: 200 }, () => 128 + random() * 128)), lineEnd]),
    answer: refused,
  },
  'another protocol': { make: () => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n\r\n'), answer: refused },
  'headers that are too large': { make: () => get('heads', {}, { 'X-Large': 'x'.repeat(large) }), answer: refused },
  'an address that is too long': { make: () => raw('GET', `/?cmd=${'h'.repeat(large)}`), answer: refused },
  'a body that is too large': {
    make: () => raw('POST', '/?cmd=heads', { 'Content-Length': String(1e12), 'X-HgArgs-Post': String(1e12) }),
    answer: refused,
  },
  'a length of arguments that is none': {
    make: () => raw('POST', '/?cmd=heads', { 'Content-Length': '0', 'X-HgArgs-Post': '-5' }),
    answer: refused,
  },
  'two lengths': {
    make: () => raw('POST', '/?cmd=heads', { 'Content-Length': '3', 'Transfer-Encoding': 'chunked' }, 'a=b'),
    answer: refused,
  },
  'another method': { make: () => raw('DELETE', '/?cmd=heads'), answer: refused },
  'another host': {
    make: () => Buffer.from('GET /?cmd=heads HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
    answer: refused,
  },
  'a place outside': {
    make: () => raw('GET', `/${'..%2f'.repeat(12)}etc/passwd?cmd=heads`),
    answer: /^HTTP\/1\.1 404 /,
  },
  'an address that is malformed': { make: () => raw('GET', '/%ff%zz?cmd=heads'), answer: refused },
  'a push': { make: () => raw('POST', '/?cmd=unbundle', { 'Content-Length': '0' }), answer: /^HTTP\/1\.1 403 / },
  'a command that is none': {
    make: (random) => raw('GET', `/?cmd=${String(random())}`),
    answer: toldWithError,
  },
  'the name of what every object has': { make: () => raw('GET', '/?cmd=constructor'), answer: toldWithError },
  'nodes that are none': { make: () => get('known', { nodes: 'x'.repeat(500) }), answer: toldWithError },
  'heads that are not there': {
    make: () => get('getbundle', { heads: 'f'.repeat(40), common: '', bundlecaps: hgBundleCaps }),
    answer: toldWithError,
  },
  'pairs that are none': { make: () => get('between', { pairs: 'a-b-c' }), answer: toldWithError },
  'a batch in a batch': { make: () => get('batch', { cmds: 'batch cmds=heads' }), answer: toldWithError },
  'a batch of rubbish': { make: () => get('batch', { cmds: ';;=,:;' }), answer: toldWithError },
  'a key that is not there': { make: () => get('lookup', { key: 'nowhere' }), answer: toldWithError },
};

const lineEnd = Buffer.from('\r\n\r\n');

function raw(method: string, target: string, headers: Record<string, string> = {}, body = ''): Buffer {
  const lines = Object.entries({ Host: '127.0.0.1', Connection: 'close', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n${body}`, 'latin1');
}

function get(command: string, args: Record<string, string>, headers: Record<string, string> = {}): Buffer {
  const all = { ...uncompressed, ...argumentHeaders(encodeForm(args), 1024), ...headers };
  return raw('GET', `/?cmd=${command}`, all);
}

/** Sends bytes, and gives what came back until the other side ended. Late answers are errors. */
function say(port: number, bytes: Uint8Array, endsItself = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const parts: Buffer[] = [];
    socket.setTimeout(patience, () => socket.destroy(new Error('There was no answer.')));
    socket.on('data', (part: Buffer) => parts.push(part));
    // Whoever is refused half-way may find the connection reset; what came before counts.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? undefined : reject(error),
    );
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
    if (endsItself) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** The hash of the stream that a server sends. */
function hashOf(url: string): Promise<string> {
  const headers = { ...argumentHeaders(encodeForm(streamArguments), 1024), ...uncompressed };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}?cmd=getbundle`, { headers, agent: false }, (response) => {
      const hash = createHash('sha1');
      response.on('data', (bytes: Buffer) => hash.update(bytes));
      response.on('error', reject).on('end', () => resolve(hash.digest('hex')));
    });
    asked.on('error', reject).end();
  });
}

/** Asks for a stream, and takes one byte a second of it. */
function readSlowly(url: string): { isOpen: () => boolean; leave: () => void } {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(
    raw('GET', '/?cmd=getbundle', { ...argumentHeaders(encodeForm(streamArguments), 1024), ...uncompressed }),
  );
  socket.pause();
  const timer = setInterval(() => socket.read(1) as unknown, 1000);
  return {
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    leave: () => {
      clearInterval(timer);
      socket.destroy();
    },
  };
}

/** How many files it has open, as soon as it is so many as expected, or when they no longer become fewer. */
async function filesWhenIdle(server: ServerProgram, expected: number): Promise<number> {
  let least = server.openFiles;
  for (let calm = 0; calm < 40 && least !== expected; calm++) {
    await later(50);
    if (server.openFiles < least) calm = 0;
    least = server.openFiles;
  }
  return least;
}

const portOf = ({ url }: ServerProgram) => Number(new URL(url).port);
