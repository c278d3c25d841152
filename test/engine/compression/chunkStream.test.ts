import { compress } from '@mongodb-js/zstd';
import { equal, ok, rejects } from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { streamChunk } from '../../../src/engine/compression/chunkStream';
import { pseudoRandom, randomBytesOf } from '../../fixtures/sourceHistory';

function* cut(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function decode(chunk: Uint8Array, length = 50_000): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await streamChunk(cut(chunk, length), (bytes) => void pieces.push(bytes.slice()), 'chunk');
  return Buffer.concat(pieces);
}

describe('a chunk of a revlog in pieces', () => {
  const text = Buffer.concat([Buffer.alloc(3_000_000, 'some text, '), randomBytesOf(400_000)]);

  it('becomes its text, whatever it is stored in and however it is cut', async () => {
    const chunks = [
      deflateSync(text),
      await compress(text),
      Buffer.concat([Buffer.from('u'), text]),
      Buffer.concat([Buffer.from('\0'), text]),
    ];
    for (const chunk of chunks) {
      const expected = chunk[0] === 0 ? chunk : text;
      for (const length of [chunk.length, 256 * 1024, 999]) ok((await decode(chunk, length)).equals(expected));
    }
    equal((await decode(new Uint8Array(0))).length, 0);
    await rejects(decode(Buffer.from('Z')), { kind: 'corrupt', subject: 'chunk' });
  });

  it('is refused when it is cut short', async () => {
    const small = Buffer.from('some text '.repeat(50) + String(pseudoRandom(1)()));
    for (const chunk of [deflateSync(small), await compress(small)]) {
      for (let length = 1; length < chunk.length; length++) {
        await rejects(decode(chunk.subarray(0, length)), { kind: 'corrupt' }, `${length} of ${chunk.length}`);
      }
    }
  });

  it('gives no error but of the right kind with bits turned', async () => {
    const small = Buffer.from('some text '.repeat(50) + String(pseudoRandom(1)()));
    const random = pseudoRandom(3);
    for (const chunk of [deflateSync(small), await compress(small)]) {
      for (let turn = 0; turn < 500; turn++) {
        const damaged = Buffer.from(chunk);
        damaged[Math.floor(random() * chunk.length)] ^= 1 << Math.floor(random() * 8);
        await decode(damaged).catch((error: unknown) => equal((error as { kind?: string }).kind, 'corrupt'));
      }
    }
  });

  it('ends when its reader has had enough, long before a small chunk has become gigabytes', async () => {
    const huge = Buffer.alloc(200_000_000);
    for (const chunk of [deflateSync(huge), await compress(huge)]) {
      let seen = 0;
      const enough = new Error('enough');
      const sink = (bytes: Uint8Array): void => {
        seen += bytes.length;
        if (seen > 1_000_000) throw enough;
      };
      await rejects(streamChunk(cut(chunk, 50_000), sink, 'chunk'), enough);
      ok(seen < 2_000_000);
    }
  });

  it('passes on the error of whoever reads the pieces', async () => {
    const broken = function* (): Generator<Uint8Array> {
      yield deflateSync(text).subarray(0, 5000);
      throw new Error('disk');
    };
    await rejects(
      streamChunk(broken(), () => undefined, 'chunk'),
      /disk/,
    );
  });
});
