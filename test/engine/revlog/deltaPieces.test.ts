import { equal, ok, throws } from 'node:assert/strict';
import { DeltaPieces } from '../../../src/engine/revlog/deltaPieces';
import type { Rev } from '../../../src/engine/revlog/node';
import { pseudoRandom } from '../../fixtures/sourceHistory';

interface Hunk {
  start: number;
  end: number;
  bytes: Buffer;
}

const names = { describe: () => 'delta' };
const random = pseudoRandom(4);
const pick = (limit: number) => Math.floor(random() * limit);

function encode(hunks: readonly Hunk[]): Buffer {
  return Buffer.concat(
    hunks.flatMap(({ start, end, bytes }) => {
      const head = Buffer.alloc(12);
      [start, end, bytes.length].forEach((number, at) => head.writeUInt32BE(number, at * 4));
      return [head, bytes];
    }),
  );
}

/** The plain way: one copy of the text for each delta. */
function patch(text: Buffer, hunks: readonly Hunk[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, bytes } of hunks) {
    pieces.push(text.subarray(at, start), bytes);
    at = end;
  }
  return Buffer.concat([...pieces, text.subarray(at)]);
}

function someHunks(length: number): Hunk[] {
  const hunks: Hunk[] = [];
  for (let at = 0; hunks.length < pick(9);) {
    const start = at + pick(Math.max(1, length - at) / 2);
    const end = Math.min(length, start + pick(20));
    if (start > length) break;
    hunks.push({ start, end, bytes: Buffer.alloc(pick(25), hunks.length + 65) });
    at = end;
  }
  return hunks;
}

describe('the deltas of a chain', () => {
  it('give at once the text that they give one after another', () => {
    for (let round = 0; round < 300; round++) {
      let expected: Buffer = Buffer.from(Array.from({ length: pick(300) }, () => pick(256)));
      const pieces = new DeltaPieces(expected);
      for (let link = pick(40); link > 0; link--) {
        const hunks = someHunks(expected.length);
        expected = patch(expected, hunks);
        pieces.add(encode(hunks), 0 as Rev, names);
      }
      ok(expected.equals(pieces.apply()));
    }
  });

  it('cost what they hold, not the text for each', () => {
    const text = Buffer.alloc(4_000_000, 'a line of a manifest with a node\n');
    const pieces = new DeltaPieces(text);
    const started = performance.now();
    for (let link = 0; link < 2000; link++) {
      pieces.add(encode([{ start: link * 33, end: link * 33 + 33, bytes: Buffer.alloc(33, link) }]), 0 as Rev, names);
    }
    equal(pieces.apply().length, text.length);
    ok(performance.now() - started < 500);
  });

  it('are refused when they leave the text, overlap, are out of order or cut short', () => {
    const hunk = (start: number, end: number, length = 1) => ({ start, end, bytes: Buffer.alloc(length) });
    const bad = [
      encode([hunk(0, 11)]),
      encode([hunk(5, 4)]),
      encode([hunk(2, 6), hunk(5, 7)]),
      encode([hunk(6, 7), hunk(1, 2)]),
      encode([hunk(0xffff_ffff, 0xffff_ffff)]),
      encode([hunk(0, 1, 9)]).subarray(0, 20),
      encode([hunk(0, 1)]).subarray(0, 11),
      Buffer.from('000000000000000000000001', 'hex'),
      Buffer.from('0000000000000000ffffffff00', 'hex'),
    ];
    for (const delta of bad) {
      throws(() => new DeltaPieces(Buffer.alloc(10)).add(delta, 0 as Rev, names), {
        kind: 'corrupt',
        subject: 'delta',
      });
    }
  });
});
