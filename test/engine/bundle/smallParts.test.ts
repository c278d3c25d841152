import { deepEqual, equal, ok } from 'node:assert/strict';
import { parseBookmarks } from '../../../src/engine/bundle/bookmarksPart';
import { parseListkeys } from '../../../src/engine/bundle/listkeysPart';
import { parsePhaseHeads } from '../../../src/engine/bundle/phaseHeads';
import { quote, unquote } from '../../../src/engine/bundle/quoting';
import { cutEverywhere, flipBits, outcomeOf } from '../../fixtures/damage';

const node = (digit: string) => Buffer.from(digit.repeat(40), 'hex');
const number = (value: number, width: 2 | 4) => {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return bytes;
};
const bookmark = (digit: string, name: string) =>
  Buffer.concat([node(digit), number(name.length, 2), Buffer.from(name, 'latin1')]);

const bookmarks = Buffer.concat([bookmark('1', 'one'), bookmark('f', 'gone'), bookmark('2', 'tw\xf6')]);
const heads = Buffer.concat([number(0, 4), node('a'), number(1, 4), node('b')]);
const keys = Buffer.from('one\t11\ntwo\t\n\xe9\ta\tb\n', 'latin1');

describe('small parts of a bundle', () => {
  it('give bookmarks, without those that are not there', () => {
    deepEqual(
      [...parseBookmarks(bookmarks)],
      [
        ['one', '1'.repeat(40)],
        ['tw\xf6', '2'.repeat(40)],
      ],
    );
    equal(parseBookmarks(Buffer.alloc(0)).size, 0);
  });

  it('give phases and heads', () => {
    deepEqual(parsePhaseHeads(heads), [
      { phase: 0, node: 'a'.repeat(40) },
      { phase: 1, node: 'b'.repeat(40) },
    ]);
  });

  it('give keys and values', () => {
    deepEqual(
      [...parseListkeys(keys)],
      [
        ['one', '11'],
        ['two', ''],
        ['\xe9', 'a\tb'],
      ],
    );
  });

  it('that are cut are damaged, or end between two entries', async () => {
    for (const cut of cutEverywhere(bookmarks)) {
      const isWhole = [0, 25, 51].includes(cut.length);
      equal('value' in (await outcomeOf(() => parseBookmarks(cut))), isWhole, String(cut.length));
    }
    for (const cut of cutEverywhere(heads)) {
      equal('value' in (await outcomeOf(() => parsePhaseHeads(cut))), cut.length % 24 === 0);
    }
    for (const cut of cutEverywhere(keys)) await outcomeOf(() => parseListkeys(cut));
  });

  it('with any bit turned over are damaged or say something else of the same length', async () => {
    for (const flipped of flipBits(bookmarks, 500)) {
      const outcome = await outcomeOf(() => parseBookmarks(flipped));
      if ('value' in outcome) ok(outcome.value.size <= 3);
    }
    for (const flipped of flipBits(heads, 500)) equal(parsePhaseHeads(flipped).length, 2);
    for (const flipped of flipBits(keys, 500)) await outcomeOf(() => parseListkeys(flipped));
  });

  it('with lengths that lie are damaged', async () => {
    for (const length of [4, 100, 65_535]) {
      const lie = Buffer.concat([node('1'), number(length, 2), Buffer.from('one')]);
      const outcome = await outcomeOf(() => parseBookmarks(lie));
      equal('error' in outcome && outcome.error.kind, 'corrupt');
    }
  });

  it('are quoted and unquoted without loss, whatever the bytes', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
    equal(unquote(quote(all)), all);
    equal(unquote('%zz%4'), '%zz%4');
  });
});
