import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compress as zstdFrame } from '@mongodb-js/zstd';
import { deflateSync, inflateSync } from 'node:zlib';
import type { CompressionName } from '../../../src/engine/compression/codec';
import { compressStream, decompressStream, parseEngine, writableEngines } from '../../../src/engine/compression/stream';
import { decodeZstdFrames } from '../../../src/engine/compression/zstdFrames';
import { EngineError, networkError } from '../../../src/engine/io/errors';
import { temporaryDirectory } from '../../fixtures/hg';
import { hg } from '../../fixtures/hgCommand';
import { repository } from '../../fixtures/repositories';
import { pseudoRandom, randomBytesOf } from '../../fixtures/sourceHistory';

type Decode = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** The bytes in views of one piece of memory that is used again and again, as those of a channel between threads. */
async function* cut(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  const memory = new Uint8Array(length);
  for (let at = 0; at < bytes.length; at += length) {
    const piece = bytes.subarray(at, at + length);
    memory.set(piece);
    yield memory.subarray(0, piece.length);
    memory.fill(0xee);
    await Promise.resolve();
  }
}

async function all(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of stream) pieces.push(bytes.slice());
  return Buffer.concat(pieces);
}

/** A bundle of the real `hg`, and what is in it: the body after the header that names its compression. */
function bundle(root: string, folder: string, kind: string): Buffer {
  const file = join(folder, kind);
  hg(root, ['bundle', '-q', '-a', '-t', `${kind}-v2`, file]);
  const bytes = readFileSync(file);
  return bytes.subarray(8 + bytes.readUInt32BE(4));
}

const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(400) + String(pseudoRandom(5)()));
const mixed = Buffer.concat([text, randomBytesOf(300_000, 4), Buffer.alloc(700_000, 'abcd'), text]);

interface Coded {
  name: string;
  decode: Decode;
  encode: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** Python, which runs hg, has the reference's coder. */
const bzip2 = (bytes: Uint8Array, level = 9) => {
  const script = `import sys, bz2; sys.stdout.buffer.write(bz2.compress(sys.stdin.buffer.read(), ${level}))`;
  return execFileSync('python3', ['-c', script], { input: bytes, maxBuffer: 1 << 28 });
};

const engines: Coded[] = [
  {
    name: 'zlib',
    decode: (source) => decompressStream('zlib', source),
    encode: (b) => Promise.resolve(deflateSync(b)),
  },
  { name: 'zstd', decode: (source) => decompressStream('zstd', source), encode: (b) => zstdFrame(Buffer.from(b)) },
  { name: 'zstd without the help of Node', decode: decodeZstdFrames, encode: (b) => zstdFrame(Buffer.from(b)) },
  {
    name: 'bzip2',
    decode: (source) => decompressStream('bzip2', source),
    encode: (b) => Promise.resolve(bzip2(b)),
  },
];

describe('a compressed stream', () => {
  for (const { name, decode, encode } of engines) {
    describe(`in ${name}`, () => {
      it('becomes what it was, however it is cut', async () => {
        for (const content of [new Uint8Array(0), Buffer.from('a'), text, mixed]) {
          const coded = await encode(content);
          for (const length of [coded.length, 65_536, 4097, ...(content.length < 50_000 ? [1] : [])]) {
            ok((await all(decode(cut(coded, Math.max(1, length))))).equals(content), `${content.length} by ${length}`);
          }
        }
      });

      it('is refused when it is cut short, at any byte', async () => {
        const coded = await encode(text);
        for (let length = 0; length < coded.length; length++) {
          await rejects(all(decode(cut(coded.subarray(0, length), 100_000))), isDamage, `${length} of ${coded.length}`);
        }
        const large = await encode(mixed);
        await rejects(all(decode(cut(large.subarray(0, -1), 65_536))), isDamage);
        await rejects(all(decode(cut(large.subarray(0, large.length / 2), 65_536))), isDamage);
      });

      it('is refused when something follows, in the same piece or in another', async () => {
        const coded = await encode(text);
        const followed = Buffer.concat([coded, Buffer.from('something else')]);
        for (const length of [followed.length, coded.length, 7]) {
          await rejects(all(decode(cut(followed, length))), isDamage, `by ${length}`);
        }
      });

      it('never harms when bits are turned', async () => {
        const coded = await encode(mixed.subarray(0, 30_000));
        const random = pseudoRandom(11);
        for (let turn = 0; turn < 300; turn++) {
          const damaged = Uint8Array.from(coded);
          const at = turn < 100 ? turn >> 1 : Math.floor(random() * coded.length);
          damaged[at % coded.length] ^= 1 << Math.floor(random() * 8);
          let length = 0;
          try {
            for await (const bytes of decode(cut(damaged, 5000))) if ((length += bytes.length) > 50_000_000) break;
          } catch (error) {
            ok(error instanceof EngineError && (isDamage(error) || error.kind === 'unsupported'), String(error));
          }
        }
      });

      it('passes on what its source throws', async () => {
        const coded = await encode(mixed);
        const source = async function* () {
          yield* cut(coded.subarray(0, 100_000), 10_000);
          throw networkError('The line went dead.');
        };
        await rejects(all(decode(source())), { kind: 'network', message: 'The line went dead.' });
      });

      it('reads of its source no more than what is taken needs, and lets it go', async () => {
        const coded = await encode(randomBytesOf(8_000_000, 9));
        let asked = 0;
        let isClosed = false;
        const source = async function* () {
          try {
            for await (const bytes of cut(coded, 50_000)) {
              asked += bytes.length;
              yield bytes;
            }
          } finally {
            isClosed = true;
          }
        };
        for await (const bytes of decode(source())) if (bytes.length > 0) break;
        // A block of bzip2 is as large as it is.
        ok(asked <= (name === 'bzip2' ? 1_100_000 : 300_000), `${asked} bytes`);
        ok(isClosed);
      });

      it('becomes gigabytes only as fast as they are taken', async () => {
        const bomb = await bombOf(name);
        const before = process.memoryUsage().rss;
        let length = 0;
        for await (const bytes of decode(cut(bomb, 65_536))) {
          ok(bytes.length <= 1 << 20);
          if ((length += bytes.length) > 200_000_000) break;
        }
        ok(length > 200_000_000, `${length} of a bomb of ${bomb.length}`);
        ok(process.memoryUsage().rss - before < 100_000_000);
      });
    });
  }

  it('in none is what it is', async () => {
    ok((await all(decompressStream('none', cut(mixed, 1000)))).equals(mixed));
    ok((await all(compressStream('none', cut(mixed, 1000)))).equals(mixed));
  });

  it('is read from bundles of the real hg in every engine', async () => {
    await using folder = await temporaryDirectory();
    const root = repository('branches');
    const plain = bundle(root, folder.path, 'none');
    const kinds = { gzip: 'zlib', zstd: 'zstd', bzip2: 'bzip2' } as const;
    for (const [kind, engine] of Object.entries(kinds)) {
      const body = bundle(root, folder.path, kind);
      ok((await all(decompressStream(engine, cut(body, 3000)))).equals(plain), kind);
      if (engine === 'zstd') ok((await all(decodeZstdFrames(cut(body, 3000)))).equals(plain));
    }
  });

  it('is written so that the real hg reads it', async () => {
    await using folder = await temporaryDirectory();
    const plain = bundle(repository('zlib'), folder.path, 'none');
    const names: Partial<Record<CompressionName, string>> = { zlib: 'GZ', zstd: 'ZS', none: 'UN' };
    for (const engine of writableEngines) {
      for (const level of [undefined, 1, 9]) {
        const parameters = Buffer.from(`Compression=${String(names[engine])}`);
        const head = Buffer.from('HG20\0\0\0\0');
        head.writeUInt32BE(parameters.length, 4);
        const body = await all(compressStream(engine, cut(plain, 50_000), level));
        const file = join(folder.path, `${engine}${level ?? ''}`);
        writeFileSync(file, Buffer.concat([head, parameters, body]));
        match(hg(folder.path, ['debugbundle', '--all', file]).toString(), /changegroup -- .*version: 02/);
        ok((await all(decompressStream(engine, cut(body, 50_000)))).equals(plain));
      }
    }
  });

  it('in zlib passes on noise as it is, and makes the rest small, wherever one becomes the other', async () => {
    const noise = randomBytesOf(1_500_000, 3);
    const words = Buffer.from('a line of words that comes again and again\n'.repeat(40_000));
    // A block with both in it is deflated or not as a whole.
    for (const [content, most] of [
      [noise, 1_501_000],
      [words, 20_000],
      [Buffer.concat([words, noise, words.subarray(0, 700_000), noise]), 3_600_000],
    ] as const) {
      for (const length of [content.length, 99_991, 4_000]) {
        const coded = await all(compressStream('zlib', cut(content, length), 6));
        ok(inflateSync(coded).equals(content));
        ok(coded.length < most, `${coded.length}`);
      }
    }
  });

  it('is not written in an engine that cannot be', () => {
    for (const engine of ['bzip2', ...(writableEngines.includes('zstd') ? [] : ['zstd'])] as CompressionName[]) {
      throws(() => compressStream(engine, cut(text, 100)), { kind: 'unsupported', subject: engine });
    }
    deepEqual(writableEngines.slice(-2), ['zlib', 'none']);
    throws(() => parseEngine('lzma'), { kind: 'unsupported', subject: 'lzma' });
    equal(parseEngine('zstd'), 'zstd');
  });

  it('in bzip2 may be of any block size, of several blocks, of several streams', async () => {
    const runs = Buffer.concat([3, 4, 5, 258, 259, 260, 600].flatMap((n) => [Buffer.alloc(n, 'a'), Buffer.from('b')]));
    for (const content of [runs, mixed]) {
      for (const level of [1, 5]) {
        const coded = bzip2(content, level);
        ok((await all(decompressStream('bzip2', cut(coded, 10_000)))).equals(content));
        const twice = Buffer.concat([coded, coded]);
        ok((await all(decompressStream('bzip2', cut(twice, 10_000)))).equals(Buffer.concat([content, content])));
      }
    }
  });

  it('in zstd may be several frames, some of them to be passed over', async () => {
    const frames = await Promise.all([text, mixed, new Uint8Array(0)].map((part) => zstdFrame(Buffer.from(part))));
    const skippable = Buffer.from('502a4d180400000061626364', 'hex');
    const stream = Buffer.concat([skippable, ...frames, skippable]);
    for (const decode of [engines[1].decode, engines[2].decode]) {
      for (const length of [stream.length, 999]) {
        ok((await all(decode(cut(stream, length)))).equals(Buffer.concat([text, mixed])));
      }
    }
  });

  it('in zstd gets no more memory than is good', async () => {
    // A window of 2 GiB, promised by a head of six bytes.
    const greedy = Buffer.concat([Buffer.from('28b52ffd00a8', 'hex'), Buffer.from([1, 0, 0])]);
    for (const decode of [engines[1].decode, engines[2].decode]) {
      await rejects(all(decode(cut(greedy, 100))), { kind: 'unsupported', subject: 'zstd' });
    }
  });
});

function isDamage(error: unknown): boolean {
  return error instanceof EngineError && error.kind === 'corrupt';
}

/** A little that decodes to more than 200 MB. */
async function bombOf(name: string): Promise<Uint8Array> {
  const zeros = Buffer.alloc(50_000_000);
  if (name === 'zlib') {
    // Deflate gets a thousandth at best.
    return deflateSync(Buffer.alloc(250_000_000), { level: 1 });
  }
  // Several in a row: frames and streams may follow each other.
  const one = name === 'bzip2' ? bzip2(zeros) : await zstdFrame(zeros);
  return Buffer.concat(Array.from({ length: 1000 }, () => one));
}
