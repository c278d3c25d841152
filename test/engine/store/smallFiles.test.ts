import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bookmarksOfListkeys,
  parseBookmarks,
  readBookmarks,
  writeBookmarks,
} from '../../../src/engine/store/bookmarks';
import { FncacheWriter, readFncache } from '../../../src/engine/store/fncache';
import { formatPhaseRoots, parsePhaseRoots, phasesOfListkeys, readPhaseRoots } from '../../../src/engine/store/phases';
import { locateRepository } from '../../../src/engine/store/repositoryFolders';
import type { Node } from '../../../src/engine/revlog/node';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository } from '../../fixtures/repositories';

const one = '1'.repeat(40) as Node;
const two = 'a2'.repeat(20) as Node;

describe('fncache', () => {
  for (const kind of ['nastyNames', 'manyFiles', 'sizes'] as const) {
    it(`of the repository ${kind} is read, and written with the same lines`, () => {
      using folder = temporaryFolder('fncache');
      const store = join(repository(kind), '.hg', 'store');
      const names = readFncache(store);
      const writer = new FncacheWriter(folder.path);
      for (const name of ['00changelog.i', ...names, '00manifest.i', 'phaseroots']) writer.add(name);
      writer.close();
      const lines = (path: string) => readFileSync(join(path, 'fncache'), 'latin1').split('\n').sort();
      deepEqual(lines(folder.path), lines(store));
    });
  }

  it('is not there for a store without files', () => {
    using folder = temporaryFolder('fncache');
    const writer = new FncacheWriter(folder.path);
    writer.add('00changelog.i');
    writer.close();
    ok(!existsSync(join(folder.path, 'fncache')));
    deepEqual(readFncache(folder.path), []);
  });

  it('is refused when it is cut short', () => {
    using folder = temporaryFolder('fncache');
    for (const text of ['data/a.i', 'data/a.i\ndata', '\n', 'data/a.i\n\ndata/b.i\n']) {
      writeFileSync(join(folder.path, 'fncache'), text);
      throws(() => readFncache(folder.path), { kind: 'corrupt' }, JSON.stringify(text));
    }
  });
});

describe('bookmarks', () => {
  it('are read from and written to where hg keeps them', () => {
    for (const options of [[], ['--config', 'format.bookmarks-in-store=yes']]) {
      using folder = temporaryFolder('bookmarks');
      hg(folder.path, ['clone', '-q', '--pull', ...options, repository('branches'), 'r']);
      const located = locateRepository(join(folder.path, 'r'));
      const file = join(options.length > 0 ? located.store : located.hg, 'bookmarks');
      const theirs = readFileSync(file);
      const bookmarks = readBookmarks(located);
      equal(bookmarks.size, 2);
      equal(
        bookmarks.get(Buffer.from('bookmark é').toString('latin1')),
        hgText(located.root, ['log', '-r', 'bookmark é', '-T', '{node}']),
      );
      writeBookmarks(located.hg, located.requirements, new Map([...bookmarks].reverse()));
      deepEqual(readFileSync(file), theirs);
      writeBookmarks(located.hg, located.requirements, new Map());
      ok(!existsSync(file));
      deepEqual(readBookmarks(located), new Map());
    }
  });

  it('are refused where a line is none', () => {
    for (const text of [`${one}\n`, `${one} \n`, `${one}x\n`, 'x\n', ` ${one} x\n`, `${one.slice(1)} name\n`]) {
      throws(() => parseBookmarks(text), { kind: 'corrupt' }, JSON.stringify(text));
    }
  });

  it('of a server are refused where they are at no node, or would write two lines', () => {
    deepEqual(bookmarksOfListkeys(new Map([['@', one]])), new Map([['@', one]]));
    const bad: [string, string][] = [
      ['@', 'x'],
      ['', one],
      ['a\nb', one],
      ['a', ''],
    ];
    for (const entry of bad) throws(() => bookmarksOfListkeys(new Map([entry])), { kind: 'corrupt' });
  });
});

describe('phase roots', () => {
  it('are read as hg writes them', () => {
    const root = repository('draft');
    const roots = readPhaseRoots(join(root, '.hg', 'store'));
    const nodes = hgText(root, ['log', '-r', 'roots(draft())', '-T', '{node}\n']).split('\n').sort();
    deepEqual(roots.map(({ node }) => node).sort(), nodes);
    deepEqual(new Set(roots.map(({ phase }) => phase)), new Set([1]));
    equal(formatPhaseRoots([...roots].reverse()), readFileSync(join(root, '.hg', 'store', 'phaseroots'), 'latin1'));
  });

  it('are none where there is no file', () => {
    using folder = temporaryFolder('phases');
    mkdirSync(join(folder.path, 'store'));
    deepEqual(readPhaseRoots(join(folder.path, 'store')), []);
  });

  it('are refused where a line is none', () => {
    for (const text of [
      `0 ${one}\n`,
      `7 ${one}\n`,
      `1  ${one}\n`,
      `1 ${one} x\n`,
      '1\n',
      `x ${one}\n`,
      `1 ${one.slice(1)}\n`,
    ]) {
      throws(() => parsePhaseRoots(text), { kind: 'corrupt' }, JSON.stringify(text));
    }
  });

  it('of a server come from its keys', () => {
    deepEqual(phasesOfListkeys(new Map([['publishing', 'True']])), { publishing: true, draftRoots: [] });
    deepEqual(
      phasesOfListkeys(
        new Map([
          [one, '1'],
          [two, '1'],
        ]),
      ),
      { publishing: false, draftRoots: [one, two] },
    );
    throws(() => phasesOfListkeys(new Map([['x', '1']])), { kind: 'corrupt' });
  });
});
