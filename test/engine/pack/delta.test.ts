import assert from 'node:assert/strict';
import { applyDelta, DeltaFault } from '../../../src/engine/pack/delta';
import { deltaPieces } from '../../../src/engine/pack/deltaStream';
import { buildDelta } from '../../fixtures/packBuilder';
import { pseudoRandom, randomBytesOf } from '../../fixtures/sourceHistory';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

function inPieces(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const pieces: Buffer[] = [];
  for (const piece of deltaPieces(base, delta)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

describe('delta', () => {
  const base = Buffer.from('The quick brown fox jumps over the lazy dog');

  it('copies from the base and inserts bytes of its own', () => {
    const delta = buildDelta(base.length, 12, [{ copy: [4, 5] }, { insert: ', no ' }, { copy: [41, 2] }]);
    assert.equal(text(applyDelta(base, delta)), 'quick, no og');
  });

  it('takes a copy of size 0 for one of 65,536 bytes', () => {
    const large = randomBytesOf(70_000);
    const delta = buildDelta(large.length, 65_536, [{ raw: [0x81, 17] }]);
    assert.deepEqual(Buffer.from(applyDelta(large, delta)), Buffer.from(large.subarray(17, 17 + 65_536)));
    assert.deepEqual(inPieces(large, delta), Buffer.from(large.subarray(17, 17 + 65_536)));
  });

  it('reads offsets and sizes of every width', () => {
    const large = randomBytesOf(20_000_000);
    const copies: [number, number][] = [
      [0, 1],
      [0xff00, 0xff],
      [0x10_0000, 0x100],
      [0x100_0001, 0x1_0001],
      [0x1_0000, 0xff_0000],
    ];
    const expected = Buffer.concat(copies.map(([from, length]) => large.subarray(from, from + length)));
    const delta = buildDelta(
      large.length,
      expected.length,
      copies.map((copy) => ({ copy })),
    );
    assert.ok(expected.equals(applyDelta(large, delta)));
    assert.ok(expected.equals(inPieces(large, delta)));
  });

  it('gives the same in pieces as in memory', () => {
    const random = pseudoRandom(7);
    const large = randomBytesOf(600_000, 3);
    for (let round = 0; round < 20; round++) {
      const instructions = Array.from({ length: 60 }, () => {
        const from = Math.floor(random() * 500_000);
        return random() < 0.5
          ? { copy: [from, 1 + Math.floor(random() * 65_536)] as [number, number] }
          : { insert: large.subarray(from, from + 1 + Math.floor(random() * 300)) };
      });
      const size = instructions.reduce(
        (sum, one) => sum + ('copy' in one ? (one.copy?.[1] ?? 0) : one.insert.length),
        0,
      );
      const delta = buildDelta(large.length, size, instructions);
      assert.ok(Buffer.from(applyDelta(large, delta)).equals(inPieces(large, delta)));
    }
  });

  const bad: [string, Buffer, RegExp][] = [
    ['is made for another base', buildDelta(base.length + 1, 1, [{ insert: 'x' }]), /base of 44 bytes/],
    ['copies past its base', buildDelta(base.length, 9, [{ copy: [40, 9] }]), /copies 9 bytes from 40/],
    ['writes past its result', buildDelta(base.length, 3, [{ insert: 'four' }]), /writes 4 bytes of a result/],
    ['copies past its result', buildDelta(base.length, 3, [{ copy: [0, 9] }]), /writes 9 bytes of a result/],
    ['ends before its result does', buildDelta(base.length, 9, [{ insert: 'four' }]), /ends with 4 of 9 bytes/],
    ['has a reserved instruction', buildDelta(base.length, 4, [{ raw: [0] }, { insert: 'four' }]), /reserved/],
    ['ends inside a copy', buildDelta(base.length, 4, [{ raw: [0x91, 1] }]), /inside a copy/],
    ['ends inside an insert', buildDelta(base.length, 4, [{ raw: [4, 65] }]), /inside the bytes/],
    ['ends inside its sizes', Buffer.from([0x80 | base.length]), /inside its sizes/],
    ['has a size without end', Buffer.alloc(30, 0xff), /no object can have/],
    ['is empty', Buffer.alloc(0), /inside its sizes/],
  ];
  for (const [what, delta, message] of bad) {
    it(`is refused when it ${what}`, () => {
      assert.throws(
        () => applyDelta(base, delta),
        (error) => error instanceof DeltaFault && message.test(error.message),
      );
      assert.throws(() => inPieces(base, delta), DeltaFault);
    });
  }

  it('never writes past its result, whatever bit is flipped or wherever it is cut', () => {
    const delta = buildDelta(base.length, 26, [{ copy: [4, 16] }, { insert: 'insertion!' }]);
    const attempt = (bytes: Uint8Array) => {
      try {
        assert.ok(applyDelta(base, bytes).length <= 65_536);
      } catch (error) {
        assert.ok(error instanceof DeltaFault, String(error));
      }
    };
    for (let end = 0; end < delta.length; end++) {
      assert.throws(() => applyDelta(base, delta.subarray(0, end)), DeltaFault);
    }
    for (let bit = 16; bit < delta.length * 8; bit++) {
      const flipped = Buffer.from(delta);
      flipped[bit >> 3] ^= 1 << (bit & 7);
      attempt(flipped);
    }
  });
});
