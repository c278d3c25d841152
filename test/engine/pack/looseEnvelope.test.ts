import assert from 'node:assert/strict';
import { deflateSync, inflateSync } from 'node:zlib';
import { adler32, combineAdler32 } from '../../../src/engine/pack/adler32';
import { looseHeadLength, putLooseHead, putLooseTail } from '../../../src/engine/pack/looseEnvelope';
import { looseHeader } from '../../../src/engine/pack/objectKind';
import { randomBytesOf } from '../../fixtures/sourceHistory';

describe('a loose object made of a pack entry', () => {
  it('inflates to header and content, with a checksum that follows from the old one', () => {
    for (const level of [0, 1, 6, 9]) {
      for (const size of [0, 1, 127, 4096, 65_521, 65_522, 300_000]) {
        const content = Buffer.concat([randomBytesOf(size >> 1), Buffer.alloc(size - (size >> 1), 'text ')]);
        const packed = deflateSync(content, { level });
        const header = looseHeader(3, size);
        const head = new Uint8Array(looseHeadLength(header));
        const tail = new Uint8Array(4);
        putLooseHead(head, 0, header);
        putLooseTail(tail, 0, header, size, packed, packed.length - 4);
        const loose = Buffer.concat([head, packed.subarray(2, -4), tail]);
        assert.ok(inflateSync(loose).equals(Buffer.concat([header, content])), `level ${level}, size ${size}`);
      }
    }
  });

  it('combines checksums as the checksum of the whole', () => {
    for (const [first, second] of [
      ['', ''],
      ['a', ''],
      ['', 'b'],
      ['blob 3\0', 'abc'],
    ]) {
      const [one, two] = [Buffer.from(first), Buffer.from(second)];
      assert.equal(combineAdler32(adler32(one), adler32(two), two.length), adler32(Buffer.concat([one, two])));
    }
    // RFC 1950 names no test value; this one is of zlib's own checksum, read from the end of a stream that it wrote.
    const large = Buffer.alloc(200_000, 0xff);
    const stream = deflateSync(large);
    assert.equal(adler32(large), stream.readUInt32BE(stream.length - 4));
  });
});
