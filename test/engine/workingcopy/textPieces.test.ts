import { deepEqual, equal, throws } from 'node:assert/strict';
import { TextPieces } from '../../../src/engine/workingcopy/textPieces';
import { pseudoRandom, randomBytesOf } from '../../fixtures/sourceHistory';

type Hunk = [start: number, end: number, added: Uint8Array];

function deltaOf(hunks: readonly Hunk[]): Buffer {
  return Buffer.concat(
    hunks.flatMap(([start, end, added]) => {
      const head = Buffer.alloc(12);
      head.writeUInt32BE(start, 0);
      head.writeUInt32BE(end, 4);
      head.writeUInt32BE(added.length, 8);
      return [head, added];
    }),
  );
}

/** The plain way: one text after the other. */
function applyPlainly(text: Buffer, hunks: readonly Hunk[]): Buffer {
  let at = 0;
  const parts: Uint8Array[] = [];
  for (const [start, end, added] of hunks) {
    parts.push(text.subarray(at, start), added);
    at = end;
  }
  return Buffer.concat([...parts, text.subarray(at)]);
}

function randomHunks(length: number, random: () => number): Hunk[] {
  const hunks: Hunk[] = [];
  for (let at = 0, count = Math.floor(random() * 6); count > 0; count--) {
    const start = at + Math.floor(random() * (length - at + 1));
    const end = start + Math.floor(random() * Math.min(40, length - start + 1));
    hunks.push([start, end, randomBytesOf(Math.floor(random() * 30) * 4, count + 1)]);
    at = end;
  }
  return hunks;
}

describe('a text put together from deltas', () => {
  it('is what the deltas make of it one after the other', () => {
    const random = pseudoRandom(9);
    for (let run = 0; run < 300; run++) {
      let expected: Buffer = Buffer.from(randomBytesOf(Math.floor(random() * 200) * 4, run + 1));
      const pieces = new TextPieces(expected, 'text');
      for (let link = Math.floor(random() * 12); link > 0; link--) {
        const hunks = randomHunks(expected.length, random);
        pieces.apply(deltaOf(hunks));
        expected = applyPlainly(expected, hunks);
      }
      deepEqual(Buffer.from(pieces.join(expected.length)), expected);
    }
  });

  it('may be empty, become empty, and grow from nothing', () => {
    equal(new TextPieces(new Uint8Array(0), 'text').join(0).length, 0);
    const pieces = new TextPieces(Buffer.from('abc'), 'text');
    pieces.apply(deltaOf([[0, 3, new Uint8Array(0)]]));
    pieces.apply(deltaOf([[0, 0, Buffer.from('new')]]));
    pieces.apply(deltaOf([]));
    equal(Buffer.from(pieces.join(3)).toString(), 'new');
  });

  const text = Buffer.from('0123456789');
  const bad: Record<string, Buffer> = {
    'beyond the end': deltaOf([[5, 11, Buffer.from('x')]]),
    'that starts beyond the end': deltaOf([[11, 11, Buffer.from('x')]]),
    'that ends before it starts': deltaOf([[5, 4, Buffer.from('x')]]),
    'before the one before it': deltaOf([
      [5, 6, Buffer.from('x')],
      [4, 7, Buffer.from('y')],
    ]),
    'whose bytes are missing': deltaOf([[1, 2, Buffer.from('xyz')]]).subarray(0, -1),
    'whose head is cut': deltaOf([[1, 2, Buffer.from('x')]]).subarray(0, 11),
  };
  for (const [what, delta] of Object.entries(bad)) {
    it(`refuses a hunk ${what}`, () =>
      throws(() => new TextPieces(text, 'text').apply(delta), { kind: 'corrupt', subject: 'text' }));
  }

  it('is refused when it is not as long as promised', () => {
    throws(() => new TextPieces(text, 'text').join(11), { kind: 'corrupt' });
  });

  it('costs little for a thousand deltas on a megabyte', () => {
    const base = Buffer.alloc(1_000_000, 'line of a manifest\n');
    const start = performance.now();
    const pieces = new TextPieces(base, 'text');
    for (let link = 0; link < 1000; link++)
      pieces.apply(deltaOf([[link * 900, link * 900 + 10, Buffer.from('ten bytes!')]]));
    equal(pieces.join(base.length).length, base.length);
    equal(performance.now() - start < 500, true);
  });
});
