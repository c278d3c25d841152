import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/io/errors';
import { emptyEntryHeader, readEntryHeader } from '../../../src/engine/pack/entryHeader';
import { buildPack, entryHeader } from '../../fixtures/packBuilder';

function parse(bytes: Uint8Array, offset = 1_000_000) {
  const header = emptyEntryHeader();
  return readEntryHeader(bytes, 0, bytes.length, 20, offset, 'test.pack', header) ? header : undefined;
}

describe('entry header', () => {
  it('reads sizes up to the largest exact double', () => {
    for (const size of [0, 1, 15, 16, 2047, 2048, 2 ** 31, 2 ** 32 + 5, 5 * 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      assert.deepEqual(parse(entryHeader(3, size)), {
        type: 3,
        size,
        distance: 0,
        baseNameAt: 0,
        length: entryHeader(3, size).length,
      });
    }
  });

  it('reads distances that take one byte to five', () => {
    for (const distance of [1, 127, 128, 16_511, 16_512, 2_113_663, 2_113_664, 5_000_000_000]) {
      const entry = buildPack([{ delta: Buffer.alloc(0), base: { distance } }]).subarray(12);
      assert.equal(parse(entry, 6_000_000_000)?.distance, distance);
    }
  });

  it('asks for more when the buffer ends inside', () => {
    const whole = Buffer.concat([entryHeader(7, 100_000), Buffer.alloc(20, 1)]);
    for (let end = 0; end < whole.length; end++) assert.equal(parse(whole.subarray(0, end)), undefined);
    assert.equal(parse(whole)?.baseNameAt, 3);
  });

  const refused: [string, Uint8Array, RegExp][] = [
    ['type 0', entryHeader(0, 1), /type 0/],
    ['type 5', entryHeader(5, 1), /type 5/],
    ['a size without end', Buffer.alloc(20, 0xff), /no object can have/],
    ['a base that is itself', Buffer.concat([entryHeader(6, 1), Buffer.from([0])]), /itself/],
    [
      'a base before the pack',
      Buffer.concat([entryHeader(6, 1), Buffer.alloc(12, 0xff), Buffer.from([1])]),
      /before the pack/,
    ],
  ];
  for (const [what, bytes, message] of refused) {
    it(`refuses ${what}, with the offset`, () => {
      assert.throws(
        () => parse(bytes),
        (error) =>
          error instanceof EngineError &&
          error.kind === 'corrupt' &&
          error.offset === 1_000_000 &&
          message.test(error.message),
      );
    });
  }
});
