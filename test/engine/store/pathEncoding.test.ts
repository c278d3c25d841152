import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  decodeFolders,
  decodeStorePath,
  encodeFolders,
  encodeStorePath,
  type StoreLayout,
} from '../../../src/engine/store/pathEncoding';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg } from '../../fixtures/hgCommand';
import { pseudoRandom } from '../../fixtures/sourceHistory';

const initOptions: Record<StoreLayout, string[]> = {
  store: ['--config', 'format.usefncache=no'],
  fncache: ['--config', 'format.dotencode=no'],
  dotencode: [],
};
const layouts = Object.keys(initOptions) as StoreLayout[];

/** What names are made of here: everything that some rule of some layout looks at. */
const fragments = [
  ...'abAZ_~. \\:*?"<>|+-{}^`@[]\'%$;=!#&(),0'.split(''),
  ...[
    '\x01',
    '\x1f',
    '\x7f',
    '\x80',
    '\xe9',
    '\xff',
    '\xc3\xa9',
    'con',
    'CON',
    'prn',
    'aux',
    'nul',
    'com1',
    'com0',
    'lpt9',
    'lpt10',
  ],
  ...['.i', '.d', '.hg', '.I', '..', 'long-part-of-a-name', 'x'.repeat(28), 'Y'.repeat(30)],
];

/** Nasty names of store files, the same each time, that do not get into each other's way on disk. */
function nastyNames(count: number, seed: number, layout: StoreLayout): Map<string, string> {
  const random = pseudoRandom(seed);
  const pick = (limit: number) => Math.floor(random() * limit);
  const names = new Map<string, string>();
  const files = new Set<string>();
  const folders = new Set<string>();
  while (names.size < count) {
    const components = Array.from({ length: 1 + pick(pick(4) === 0 ? 14 : 4) }, () =>
      Array.from({ length: 1 + pick(6) }, () => fragments[pick(fragments.length)]).join(''),
    );
    // Mercurial itself refuses a folder that looks like a repository, and what would leave the store.
    if (components.some((component) => /^[ .]hg|^\.{1,2}$/i.test(component))) continue;
    const root = pick(10) === 0 ? 'meta' : 'data';
    const name = `${root}/${components.join('/')}${['.i', '.d', '', '.x', '.i'][pick(5)]}`;
    const encoded = encodeStorePath(name, layout);
    const parents = [...encoded.matchAll(/\//g)].map((slash) => encoded.slice(0, slash.index));
    const taken = files.has(encoded) || folders.has(encoded) || parents.some((parent) => files.has(parent));
    if (taken || encoded.length > 2000 || encoded.split('/').some((component) => component.length > 250)) continue;
    files.add(encoded);
    for (const parent of parents) folders.add(parent);
    names.set(name, encoded);
  }
  return names;
}

/** A legacy stream bundle whose files have these names and hold one byte each. */
function streamBundle(names: readonly string[]): Buffer {
  const requirements = 'generaldelta,revlogv1';
  const head = Buffer.alloc(18);
  head.writeBigUInt64BE(BigInt(names.length), 0);
  head.writeBigUInt64BE(BigInt(names.length), 8);
  head.writeUInt16BE(requirements.length + 1, 16);
  const files = names.map((name) => Buffer.from(`${encodeFolders(name)}\x001\nx`, 'latin1'));
  return Buffer.concat([Buffer.from('HGS1UN'), head, Buffer.from(`${requirements}\0`), ...files]);
}

function filesOf(store: string): string[] {
  const walk = (path: Buffer): string[] =>
    readdirSync(path, { withFileTypes: true, encoding: 'buffer' }).flatMap((entry) => {
      const child = Buffer.concat([path, Buffer.from('/'), entry.name]);
      return entry.isDirectory() ? walk(child) : [child.toString('latin1', Buffer.byteLength(store) + 1)];
    });
  return walk(Buffer.from(store)).filter((name) => /^(data|meta|dh)\//.test(name));
}

describe('the names of store files on disk', () => {
  for (const layout of layouts) {
    it(`are those that hg gives 1,500 nasty names in a store of layout ${layout}`, () => {
      using folder = temporaryFolder('names');
      const names = nastyNames(1500, 7, layout);
      writeFileSync(join(folder.path, 'stream.hg'), streamBundle([...names.keys()]));
      hg(folder.path, ['init', 'r', ...initOptions[layout]]);
      hg(folder.path, ['-R', 'r', 'debugapplystreamclonebundle', 'stream.hg']);
      const store = join(folder.path, 'r', '.hg', 'store');
      deepEqual(filesOf(store).sort(), [...names.values()].sort());
      if (layout === 'store') return;
      const listed = readFileSync(join(store, 'fncache'), 'latin1').trimEnd().split('\n').sort();
      deepEqual(listed, [...names.keys()].map(encodeFolders).sort());
      ok([...names.values()].some((encoded) => encoded.startsWith('dh/')));
    });

    it(`can be turned back in a store of layout ${layout}, where they are not hashed`, () => {
      for (const [name, encoded] of nastyNames(1500, 11, layout)) {
        equal(decodeStorePath(encoded, layout), encoded.startsWith('dh/') ? undefined : name, encoded);
      }
    });
  }

  it('are not turned back where no encoding gives them', () => {
    for (const path of [
      'data/A.i',
      'data/a_',
      'data/~zz',
      'data/~4',
      'data/con.i',
      'data/.x',
      'data/x.',
      'data/a~61.i',
    ]) {
      equal(decodeStorePath(path), undefined, path);
    }
  });

  it('mark folders that look like revlogs or repositories, and can be unmarked', () => {
    equal(encodeFolders('data/a.i/b.d/c.hg/d.i'), 'data/a.i.hg/b.d.hg/c.hg.hg/d.i');
    for (const name of ['data/a.i/b', 'data/a.hg/b.hg/c.hg', 'data/a.i.hg/x', 'data/a.hg.hg/.i/x', 'data/x.d']) {
      equal(decodeFolders(encodeFolders(name)), name);
    }
  });

  it('differ for long names that only their extension or their end tells apart', () => {
    const long = `data/${'folder with Upper/'.repeat(12)}end`;
    const encoded = [`${long}.i`, `${long}.d`, `${long}2.i`, `${long.toLowerCase()}.i`].map((name) =>
      encodeStorePath(name),
    );
    equal(new Set(encoded).size, 4);
    for (const name of encoded) ok(name.length <= 120 && name.startsWith('dh/'));
  });

  it('of 20,000 files are no work to speak of', () => {
    const names = Array.from(
      { length: 20_000 },
      (_, n) => `data/src/Part${n % 50}/some_module_${n % 7}/File${n}.java.i`,
    );
    const start = performance.now();
    for (const name of names) encodeStorePath(name);
    const milliseconds = performance.now() - start;
    // Some 50 ms where nothing else runs: what this finds is work that grows with the square of their number.
    ok(milliseconds < 5000, `${milliseconds.toFixed(1)} ms`);
  });
});
