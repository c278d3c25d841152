import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { authorName, changesetTime, firstLine } from '../../src/editor/changesetWords';
import { dropFolder, incomingFolder, Listing } from '../../src/editor/incoming/listing';
import type { ChangesetWords } from '../../src/engine/exchange/changesetWords';

const changeset = (description: string) => ({ description }) as ChangesetWords;

describe('incoming changesets, for the tree', () => {
  it('are shown newest first, a part at a time', () => {
    const found = Array.from({ length: 1200 }, (_, at) => changeset(String(at)));
    const listing = new Listing('/r', 'default', 'https://example.org/', '/nowhere/x', found);
    assert.deepEqual([listing.shown[0].description, listing.shown.length, listing.hidden], ['1199', 500, 700]);
    listing.showMore();
    listing.showMore();
    assert.deepEqual([listing.shown.at(-1)?.description, listing.hidden], ['0', 0]);
  });

  it('are kept in a folder that only this user may enter, and that goes', () => {
    const folder = incomingFolder();
    assert.equal(existsSync(folder), false);
    assert.equal(statSync(dirname(folder)).mode & 0o077, 0);
    mkdirSync(folder);
    dropFolder(folder);
    assert.equal(existsSync(dirname(folder)), false);
  });

  it('have times as their authors saw them', () => {
    for (const [seconds, offset] of [
      [0, 0],
      [1600000000, -7200],
      [1700000000, 12600],
      [1234567890, -20700],
    ]) {
      const zone = -offset / 60;
      const sign = zone < 0 ? '-' : '+';
      const hours = String(Math.floor(Math.abs(zone) / 60)).padStart(2, '0');
      const name = `${sign}${hours}${String(Math.abs(zone) % 60).padStart(2, '0')}`;
      const local = execFileSync('date', ['-u', '-d', `@${seconds - offset}`, '+%Y-%m-%d %H:%M'])
        .toString()
        .trim();
      assert.equal(changesetTime({ seconds, offset }), `${local} ${name}`);
    }
    assert.equal(changesetTime({ seconds: 1e15, offset: 0 }), '');
  });

  it('have authors without addresses, and first lines', () => {
    assert.equal(authorName('Ann Other <ann@example.org>'), 'Ann Other');
    assert.equal(authorName('<ann@example.org>'), '<ann@example.org>');
    assert.equal(authorName('ann'), 'ann');
    assert.equal(firstLine('one\ntwo'), 'one');
  });
});
