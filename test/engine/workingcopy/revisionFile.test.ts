import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import type { Node, Rev } from '../../../src/engine/revlog/node';
import { encodeStorePath } from '../../../src/engine/store/pathEncoding';
import { readFncache } from '../../../src/engine/store/fncache';
import { RevisionFile } from '../../../src/engine/workingcopy/revisionFile';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository, type RepositoryKind } from '../../fixtures/repositories';
import { pseudoRandom } from '../../fixtures/sourceHistory';

const inStore = (kind: RepositoryKind, name: string) => join(repository(kind), '.hg', 'store', encodeStorePath(name));

describe('the revisions of a revlog', () => {
  before(() => zstdReady);

  for (const kind of ['zlib', 'zstd', 'uncompressed', 'branches'] as const) {
    it(`of the repository ${kind} have the texts that hg finds`, () => {
      const root = repository(kind);
      const logs: [string, string[]][] = [
        ['00changelog.i', ['-c']],
        ['00manifest.i', ['-m']],
        ...readFncache(join(root, '.hg', 'store'))
          .filter((name) => name.endsWith('.i'))
          .slice(0, 3)
          .map((name): [string, string[]] => [name, [name.slice('data/'.length, -2)]]),
      ];
      for (const [name, which] of logs) {
        using revisions = RevisionFile.open(inStore(kind, name));
        const last = revisions.length - 1;
        for (const rev of new Set([0, last >> 1, last - 1, last].filter((number) => number >= 0))) {
          const args = which[0].startsWith('-') ? [...which, String(rev)] : [which[0], String(rev)];
          ok(hg(root, ['debugdata', ...args]).equals(revisions.text(rev as Rev)), `${name} ${rev}`);
          equal(revisions.find(revisions.node(rev as Rev)), rev);
        }
        equal(revisions.find('1'.repeat(40) as Node), undefined);
      }
    });
  }

  it('of a changelog have the parents and nodes that hg knows', () => {
    using changelog = RevisionFile.open(inStore('branches', '00changelog.i'));
    const ours = Array.from({ length: changelog.length }, (_, rev) =>
      [rev, changelog.node(rev as Rev), changelog.p1(rev as Rev), changelog.p2(rev as Rev)].join(' '),
    );
    deepEqual(
      ours,
      hgText(repository('branches'), ['log', '-r', 'all()', '-T', '{rev} {node} {p1.rev} {p2.rev}\n']).split('\n'),
    );
  });

  it('are read without generaldelta as well', () => {
    using folder = temporaryFolder('revisions');
    const options = ['--config', 'format.usegeneraldelta=no', '--config', 'format.sparse-revlog=no'];
    hg(folder.path, ['clone', '-q', '-U', '--pull', ...options, repository('zlib'), 'r']);
    using revisions = RevisionFile.open(join(folder.path, 'r', '.hg', 'store', 'data', 'text.i'));
    for (let rev = 0; rev < revisions.length; rev++) {
      ok(hg(join(folder.path, 'r'), ['debugdata', 'text', String(rev)]).equals(revisions.text(rev as Rev)));
    }
  });

  it('of an index of many pages are found', () => {
    using folder = temporaryFolder('revisions');
    hg(folder.path, ['init', 'r']);
    hg(join(folder.path, 'r'), ['debugbuilddag', '+9000']);
    using revisions = RevisionFile.open(join(folder.path, 'r', '.hg', 'store', '00changelog.i'));
    equal(revisions.length, 9000);
    const nodes = hgText(join(folder.path, 'r'), ['log', '-r', 'all()', '-T', '{node}\n']).split('\n');
    for (const rev of [0, 1, 4095, 4096, 4097, 8191, 8999]) {
      equal(revisions.node(rev as Rev), nodes[rev]);
      equal(revisions.find(nodes[rev] as Node), rev);
      equal(revisions.p1(rev as Rev), rev - 1);
      ok(revisions.text(rev as Rev).length > 0);
    }
  });

  it('are refused wherever the index or the texts are cut', () => {
    using folder = temporaryFolder('revisions');
    const inline = readFileSync(inStore('zstd', 'data/small3.i'));
    const path = join(folder.path, 'a.i');
    for (let length = 1; length < inline.length; length++) {
      writeFileSync(path, inline.subarray(0, length));
      throws(() => RevisionFile.open(path), { kind: 'corrupt' }, String(length));
    }
    const index = readFileSync(inStore('zstd', 'data/random.i'));
    const texts = readFileSync(inStore('zstd', 'data/random.d'));
    writeFileSync(path, index);
    writeFileSync(join(folder.path, 'a.d'), texts.subarray(0, -1));
    using revisions = RevisionFile.open(path);
    throws(() => revisions.text((revisions.length - 1) as Rev), { kind: 'corrupt' });
    ok(revisions.text(0 as Rev).length > 0);
    writeFileSync(path, index.subarray(0, -1));
    throws(() => RevisionFile.open(path), { kind: 'corrupt' });
  });

  it('with any bit turned give the right text or an error of the right kind', () => {
    using folder = temporaryFolder('revisions');
    const random = pseudoRandom(4);
    for (const [kind, name] of [
      ['zlib', 'data/text.i'],
      ['zstd', 'data/text.i'],
      ['zstd', 'data/small5.i'],
      ['branches', '00manifest.i'],
    ] as const) {
      const source = inStore(kind, name);
      const path = join(folder.path, basename(source));
      copyFileSync(source, path);
      const texts = source.replace(/i$/, 'd');
      rmSync(path.replace(/i$/, 'd'), { force: true });
      if (existsSync(texts)) copyFileSync(texts, path.replace(/i$/, 'd'));
      using whole = RevisionFile.open(source);
      const expected = Array.from({ length: whole.length }, (_, rev) => whole.text(rev as Rev));
      const original = readFileSync(source);
      for (let turn = 0; turn < 300; turn++) {
        const damaged = Buffer.from(original);
        damaged[Math.floor(random() * Math.min(damaged.length, 2000))] ^= 1 << Math.floor(random() * 8);
        writeFileSync(path, damaged);
        checkDamaged(path, expected);
      }
    }
  });
});

function checkDamaged(path: string, expected: readonly Uint8Array[]): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    using revisions = RevisionFile.open(path);
    for (let rev = 0; rev < revisions.length; rev++) {
      try {
        const text = revisions.text(rev as Rev);
        ok(rev >= expected.length || Buffer.from(expected[rev]).equals(text), 'a wrong text');
      } catch (error) {
        checkKind(error);
      }
    }
  } catch (error) {
    checkKind(error);
  }
}

function checkKind(error: unknown): void {
  const { kind } = error as { kind?: string };
  if (!['corrupt', 'integrity', 'unsupported'].includes(String(kind))) throw error;
}
