import { doesNotThrow, throws } from 'node:assert/strict';
import { checkCacheName, checkStoreName } from '../../../src/engine/store/storeNames';

describe('names of store files from the network', () => {
  const good = [
    ...['data/a.i', 'data/a.d', 'data/ .. /x.i', 'data/..a/...i', 'data/a\\..\\b.i', 'data/C:/x.i', 'data/.hg/x.i'],
    ...['meta/sub/00manifest.i', '00changelog.i', '00changelog.d', '00manifest.i', '00manifest.d', '00manifest.n'],
    ...['00changelog-1234abcd.nd', 'phaseroots', 'obsstore'],
  ];
  for (const name of good) it(`lets ${JSON.stringify(name)} pass`, () => doesNotThrow(() => checkStoreName(name)));

  const bad = [
    ...[
      '',
      '/',
      '../x',
      'data/../../x',
      'data/..',
      'data/.',
      'data/./x',
      'data//x',
      'data/',
      'data',
      'meta',
      '/data/a.i',
    ],
    ...[
      'data/a\0.i',
      'data/a\n.i',
      'data/a\r.i',
      'DATA/a.i',
      'hgrc',
      '../hgrc',
      'requires',
      'fncache',
      'lock',
      'undo',
      'journal',
    ],
    ...[
      'dh/x.i',
      'c:/x',
      'data\\x',
      '00changelog.i/x',
      '00changelog.i\n',
      '00changelog../x',
      'phaseroots/x',
      '..',
      '.',
    ],
  ];
  for (const name of bad) {
    it(`refuses ${JSON.stringify(name)}`, () =>
      throws(() => checkStoreName(name), { kind: 'protocol', subject: name }));
  }
});

describe('names of cache files from the network', () => {
  const good = ['branch2-served', 'rbc-names-v1', 'rbc-revs-v1', 'hgtagsfnodes1', 'tags2-visible', 'a.b'];
  for (const name of good) it(`lets ${name} pass`, () => doesNotThrow(() => checkCacheName(name)));

  const bad = ['', '.', '..', '.hidden', 'a/b', '../x', '/x', 'a\\b', 'c:x', 'a\0', 'a\n', 'é', 'x'.repeat(300)];
  for (const name of bad) {
    it(`refuses ${JSON.stringify(name.slice(0, 20))}`, () => throws(() => checkCacheName(name), { kind: 'protocol' }));
  }
});
