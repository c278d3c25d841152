import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { AddressHistory } from '../../src/editor/addressHistory';
import { shownAddress } from '../../src/editor/exchange/shownAddress';

const addresses: [string, string][] = [
  ['https://ada:secret@example.org/r', 'https://ada@example.org/r'],
  ['https://ada:se@cret@example.org/r', 'https://ada@example.org/r'],
  ['ssh://hg:secret@example.org:22/r', 'ssh://hg@example.org:22/r'],
  ['HTTP://:secret@[::1]:8000/r', 'HTTP://@[::1]:8000/r'],
  ['https://example.org:8000/r@v', 'https://example.org:8000/r@v'],
  ['/home/ada/a:b@c', '/home/ada/a:b@c'],
];

describe('addresses that people see', () => {
  for (const [given, shown] of addresses) {
    it(`have no password: ${shown}`, () => assert.equal(shownAddress(given), shown));
  }

  it('are remembered without one', async () => {
    const kept = new Map<string, unknown>();
    const state = {
      get: (key: string, otherwise: unknown) => kept.get(key) ?? otherwise,
      update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
    } as unknown as Memento;
    const history = new AddressHistory(state);
    for (const [given] of addresses.slice(0, 3)) await history.add(given);
    assert.deepEqual(history.all, [addresses[2][1], addresses[0][1]]);
  });
});
