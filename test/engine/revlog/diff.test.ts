import { deepEqual, equal, ok } from 'node:assert/strict';
import { DeltaPieces } from '../../../src/engine/revlog/deltaPieces';
import { diffTexts, wholeAsDelta } from '../../../src/engine/revlog/diff';
import type { Rev } from '../../../src/engine/revlog/node';
import { pseudoRandom } from '../../fixtures/sourceHistory';

const names = { describe: () => 'a delta' };

describe('the delta between two texts', () => {
  it('is nothing for the same text, and one hunk for what is added, removed or replaced', () => {
    equal(diffTexts(text('a\nb\n'), text('a\nb\n')).length, 0);
    deepEqual(hunks('a\nc\n', 'a\nb\nc\n'), [[2, 2, 'b\n']]);
    deepEqual(hunks('a\nb\nc\n', 'a\nc\n'), [[2, 4, '']]);
    deepEqual(hunks('a\nb\nc\n', 'a\nB\nc\n'), [[2, 4, 'B\n']]);
    deepEqual(hunks('', 'a\nb'), [[0, 0, 'a\nb']]);
    deepEqual(hunks('a\nb', ''), [[0, 3, '']]);
    deepEqual(hunks('a\nb', 'a\nb\n'), [[2, 3, 'b\n']]);
    deepEqual(hunks('a\na\n', 'a\na\na\n'), [[4, 4, 'a\n']]);
    deepEqual(hunks('xb\n', 'yb\n'), [[0, 3, 'yb\n']]);
  });

  it('keeps hunks apart where the head of a hunk is shorter than what lies between them', () => {
    const between = 'something that is long enough\n';
    deepEqual(hunks(`a\n${between}b\n`, `A\n${between}B\n`), [
      [0, 2, 'A\n'],
      [2 + between.length, 4 + between.length, 'B\n'],
    ]);
    deepEqual(hunks('a\nx\nb\n', 'A\nx\nB\n'), [[0, 6, 'A\nx\nB\n']]);
  });

  it('leads from one text to the other, whatever they are', () => {
    const random = pseudoRandom(77);
    const pick = (limit: number) => Math.floor(random() * limit);
    for (let round = 0; round < 3000; round++) {
      const kinds = 1 + pick(round % 3 === 0 ? 3 : 400);
      const line = () => `${'x'.repeat(pick(4))}${pick(kinds)}${random() < 0.95 ? '\n' : ''}`;
      const lines = Array.from({ length: pick(60) }, line);
      const changed = [...lines];
      for (let edit = pick(12); edit > 0; edit--) {
        const at = pick(changed.length + 1);
        if (random() < 0.1) changed.splice(at, 0, ...changed.splice(pick(changed.length + 1), pick(9)));
        else changed.splice(at, pick(3), ...Array.from({ length: pick(3) }, line));
      }
      leadsTo(text(lines.join('')), text(changed.join('')));
      leadsTo(text(lines.join('')), text(Array.from({ length: pick(60) }, line).join('')));
    }
  });

  it('leads from one text to the other when they are bytes without lines', () => {
    const random = pseudoRandom(5);
    const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
    for (const [one, other] of [
      [0, 1],
      [1, 0],
      [20_000, 20_001],
      [9000, 40_000],
    ]) {
      leadsTo(bytes(one), bytes(other));
    }
  });

  it('takes no more than the lines that changed, however far apart they are', () => {
    const lines = Array.from({ length: 50_000 }, (_, at) => `folder${at % 91}/file${at}\n`);
    const changed = lines.map((line, at) => (at % 10_000 === 77 ? `changed ${at}\n` : line));
    changed.splice(30_000, 1);
    changed.splice(40_000, 0, 'added\n');
    const delta = leadsTo(text(lines.join('')), text(changed.join('')));
    const known = new Set(lines);
    const added = changed.filter((line) => !known.has(line)).join('');
    equal(delta.length, added.length + 7 * 12);
  });

  it('takes the lines that changed where all lines stay in their places, first and last among them', () => {
    const random = pseudoRandom(78);
    for (let round = 0; round < 200; round++) {
      const lines = Array.from({ length: 400 }, (_, at) => `${'y'.repeat(at % 90)}${at}\n`);
      const changed = [...lines];
      const places = new Set([0, 399, ...Array.from({ length: 20 }, () => Math.floor(random() * 400))]);
      for (const at of places) changed[at] = changed[at].replace(/.$/m, '-');
      if (round % 5 === 0) [changed[7], changed[8]] = [changed[8], changed[7]];
      const [from, to] = [text(lines.join('')), text(changed.join(''))];
      leadsTo(from, to);
      const bytes = [...places].reduce((sum, at) => sum + 12 + changed[at].length, 0);
      if (round % 5 !== 0) ok(diffTexts(from, to).length <= bytes + 12 * places.size);
    }
  });

  it('comes to an end for texts that share all lines in another order', () => {
    const lines = Array.from({ length: 8000 }, (_, at) => `line ${at}\n`);
    const random = pseudoRandom(9);
    const mixed = [...lines].sort(() => random() - 0.5);
    const from = text(lines.join(''));
    const begun = performance.now();
    leadsTo(from, text(mixed.join('')));
    leadsTo(from, text([...lines].reverse().join('')));
    ok(performance.now() - begun < 20_000);
  });

  it('of a whole text is applied to nothing', () => {
    deepEqual(apply(new Uint8Array(0), wholeAsDelta(text('all of it'))), text('all of it'));
  });
});

function text(content: string): Uint8Array {
  return Buffer.from(content);
}

function leadsTo(from: Uint8Array, to: Uint8Array): Uint8Array {
  const delta = diffTexts(from, to);
  deepEqual(apply(from, delta), Buffer.from(to));
  return delta;
}

function apply(from: Uint8Array, delta: Uint8Array): Uint8Array {
  const pieces = new DeltaPieces(from);
  pieces.add(delta, 0 as Rev, names);
  return pieces.apply();
}

function hunks(from: string, to: string): [number, number, string][] {
  const delta = Buffer.from(leadsTo(text(from), text(to)));
  const found: [number, number, string][] = [];
  for (let at = 0; at < delta.length;) {
    const length = delta.readUInt32BE(at + 8);
    found.push([
      delta.readUInt32BE(at),
      delta.readUInt32BE(at + 4),
      delta.toString('latin1', at + 12, at + 12 + length),
    ]);
    at += 12 + length;
  }
  return found;
}
