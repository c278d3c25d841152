import { compress } from '@mongodb-js/zstd';
import { deepEqual, equal, throws } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { decodeChunk, encodeChunk, zstdReady } from '../../../src/engine/compression/block';
import { zstdFrameHead } from '../../../src/engine/compression/zstdBlock';
import { hg } from '../../fixtures/hgCommand';
import { pseudoRandom, randomBytesOf } from '../../fixtures/sourceHistory';

const texts = [
  Buffer.from('a text\n'),
  Buffer.alloc(70_000, 'again and again\n'),
  Buffer.from(randomBytesOf(300)),
  Buffer.alloc(300, 'x'),
];

describe('a chunk of a revlog', () => {
  before(() => zstdReady);

  it('is decoded by its first byte', async () => {
    for (const text of texts) {
      deepEqual(Buffer.from(decodeChunk(deflateSync(text), text.length, 'chunk')), text);
      deepEqual(Buffer.from(decodeChunk(await compress(text), text.length, 'chunk')), text);
      deepEqual(Buffer.from(decodeChunk(Buffer.concat([Buffer.from('u'), text]), text.length, 'chunk')), text);
    }
    deepEqual(Buffer.from(decodeChunk(Buffer.from('\0abc'), 4, 'chunk')), Buffer.from('\0abc'));
    equal(decodeChunk(new Uint8Array(0), 0, 'chunk').length, 0);
    throws(() => decodeChunk(Buffer.from('Zabc'), 100, 'chunk'), { kind: 'corrupt', subject: 'chunk' });
  });

  it('of many megabytes in zstd is decoded too', async () => {
    const text = Buffer.alloc(20_000_000, 'many megabytes ');
    equal(text.equals(decodeChunk(await compress(text), text.length, 'chunk')), true);
  });

  it('in zstd without a size is decoded, which is how Mercurial writes those of more than a megabyte', () => {
    for (const lines of [150_000, 700_000]) {
      const root = mkdtempSync(join(tmpdir(), 'deltascope-zstd-'));
      try {
        hg(root, ['init', '--config', 'format.revlog-compression=zstd', '.']);
        const text = Buffer.from(
          Array.from({ length: lines }, (_, line) => `line ${line} of ${lines} ${line ** 3}\n`).join(''),
        );
        writeFileSync(join(root, 'big'), text);
        hg(root, ['commit', '-qAm', 'big']);
        const frame = readFileSync(join(root, '.hg/store/data/big.d'));
        equal(zstdFrameHead(frame)?.contentSize, undefined);
        equal(text.equals(decodeChunk(frame, text.length, 'chunk')), true);
        throws(() => decodeChunk(frame, text.length - 1, 'chunk'), { kind: 'corrupt' });
      } finally {
        rmSync(root, { recursive: true });
      }
    }
  });

  it('comes back from what is written, and is never larger than stored', () => {
    for (const text of [...texts, Buffer.from('\0nul first'), Buffer.alloc(0), Buffer.alloc(17_000_000, 'large ')]) {
      for (const engine of ['none', 'zlib', 'zstd'] as const) {
        const chunk = encodeChunk(text, engine);
        equal(chunk.length <= text.length + 1, true);
        equal(text.equals(decodeChunk(chunk, text.length, 'chunk')), true, `${engine} ${text.length}`);
      }
    }
  });

  it('is refused when more comes out than can be', async () => {
    const zeros = Buffer.alloc(10_000_000);
    throws(() => decodeChunk(deflateSync(zeros), 1000, 'chunk'), { kind: 'corrupt' });
    const frame = await compress(zeros);
    throws(() => decodeChunk(frame, 1000, 'chunk'), { kind: 'corrupt' });
    throws(() => decodeChunk(frame, zeros.length - 1, 'chunk'), { kind: 'corrupt' });
    const more = await compress(Buffer.alloc(20_000_000));
    throws(() => decodeChunk(more, 19_999_999, 'chunk'), { kind: 'corrupt' });
  });

  it('in zstd tells the size of its text, in each of the four forms, or that it does not', () => {
    const sizes: [string, number | undefined][] = [
      ['28b52ffd 20 05', 5],
      ['28b52ffd 60 0100', 257],
      ['28b52ffd a0 01000100', 65_537],
      ['28b52ffd e0 0000000001000000', 2 ** 32],
      ['28b52ffd 81 58 07 01000100', 65_537],
      ['28b52ffd 00 58', undefined],
      ['28b52ffd e0 00', undefined],
      ['28b52ffd', undefined],
    ];
    for (const [hex, size] of sizes) {
      equal(zstdFrameHead(Buffer.from(hex.replaceAll(' ', ''), 'hex'))?.contentSize, size, hex);
    }
  });

  it('is refused when it is cut short, and never harms when bits are turned', async () => {
    const text = Buffer.from(`${'some text to be damaged, '.repeat(9)}${pseudoRandom(1)()}`);
    const random = pseudoRandom(2);
    for (const chunk of [deflateSync(text), await compress(text)]) {
      for (let length = 1; length < chunk.length; length++) {
        throws(() => decodeChunk(chunk.subarray(0, length), text.length, 'chunk'), { kind: 'corrupt' });
      }
      for (let turn = 0; turn < 1000; turn++) {
        const damaged = Buffer.from(chunk);
        damaged[Math.floor(random() * chunk.length)] ^= 1 << Math.floor(random() * 8);
        try {
          decodeChunk(damaged, text.length, 'chunk');
        } catch (error) {
          equal((error as { kind?: string }).kind, 'corrupt');
        }
      }
    }
  });
});
