import { equal, deepEqual, throws, ok } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { zstdReady } from '../../../src/engine/compression/block';
import { nullNode, nullRev, type Node, type Rev } from '../../../src/engine/revlog/node';
import { Revlog } from '../../../src/engine/revlog/revlog';
import { chainRepository, chainRepositoryKinds, revlogsOf, type StoredRevlog } from '../../fixtures/chainRepositories';
import { hg } from '../../fixtures/hgCommand';
import { HgCommandServer } from '../../fixtures/hgCommandServer';
import { repository } from '../../fixtures/repositories';
import { writeSyntheticIndex } from '../../fixtures/syntheticRevlog';

describe('a revlog', () => {
  before(() => zstdReady);

  for (const kind of chainRepositoryKinds) {
    it(`gives every text and field that hg gives: ${kind}`, async () => {
      const root = await chainRepository(kind);
      const server = await HgCommandServer.start(root);
      try {
        for (const one of revlogsOf(root)) await compareWithHg(server, one);
      } finally {
        await server.stop();
      }
    });
  }

  it('gives a file without the note on where it was copied from', () => {
    const root = repository('renames');
    using revlog = Revlog.open(join(root, '.hg/store/data/copied.i'));
    ok(Buffer.from(revlog.text(0 as Rev)).includes('copyrev'));
    deepEqual(Buffer.from(revlog.fileText(0 as Rev)), hg(root, ['cat', '-r', 'tip', 'copied']));
    using other = Revlog.open(join(root, '.hg/store/data/looks-like-a-copy.i'));
    deepEqual(Buffer.from(other.fileText(0 as Rev)), hg(root, ['cat', '-r', 'tip', 'looks-like-a-copy']));
  });

  it('is empty when its file is, and knows the null revision', () => {
    using revlog = Revlog.open(join(repository('branches'), '.hg/store/00changelog.i'));
    equal(revlog.find(nullNode), nullRev);
    equal(revlog.find('f'.repeat(40) as Node), undefined);
    equal(revlog.text(nullRev).length, 0);
    equal(revlog.node(nullRev), nullNode);
    equal(revlog.p1(nullRev), nullRev);
    throws(() => revlog.node(revlog.length as Rev), RangeError);
  });

  it('finds its way in an index that is read page by page', () => {
    const folder = mkdtempSync(join(tmpdir(), 'deltascope-pages-'));
    try {
      const path = join(folder, 'large.i');
      writeSyntheticIndex(path, 600_000, (rev) => ({
        base: rev,
        p1: rev - 1,
        chunkLength: 1,
        textLength: 1,
        linkrev: rev + 7,
      }));
      const bytes = readFileSync(path);
      using revlog = Revlog.open(path);
      equal(revlog.length, 600_000);
      for (const rev of [0, 599_999, 4095, 4096, 131_071, 131_072, 3, 550_000] as Rev[]) {
        const at = rev * 64;
        equal(revlog.node(rev), bytes.toString('hex', at + 32, at + 52));
        equal(revlog.find(revlog.node(rev)), rev);
        equal(revlog.linkrev(rev), rev + 7);
        equal(revlog.p1(rev), rev - 1);
        equal(revlog.chunkOffset(rev), rev);
      }
      equal(revlog.find('0123456789'.repeat(4) as Node), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('puts together chains whose deltas are too large to be held at once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'deltascope-steps-'));
    try {
      const path = join(folder, 'steps.i');
      const length = 12_000_000;
      const texts = Array.from({ length: 8 }, (_, rev) => Buffer.alloc(length, `text ${rev}, `));
      const chunks = texts.map((text, rev) => {
        const head = Buffer.alloc(12);
        [0, length, length].forEach((number, at) => head.writeUInt32BE(number, at * 4));
        return deflateSync(rev === 0 ? text : Buffer.concat([head, text]), { level: 1 });
      });
      writeSyntheticIndex(path, texts.length, (rev) => ({
        base: Math.max(0, rev - 1),
        p1: rev - 1,
        chunkLength: chunks[rev].length,
        textLength: length,
      }));
      writeFileSync(path.replace(/i$/, 'd'), Buffer.concat(chunks));
      using revlog = Revlog.open(path);
      for (const rev of [7, 2, 7, 5, 7] as Rev[]) ok(texts[rev].equals(revlog.rawText(rev)));
      throws(() => revlog.text(7 as Rev), { kind: 'integrity' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

interface IndexLine {
  rev: string;
  nodeid: string;
  linkrev: string;
  flags: string;
  'p1-rev': string;
  'p2-rev': string;
  'full-size': string;
  'chunk-size': string;
  'data-offset': string;
  'delta-base': string;
}

async function compareWithHg(server: HgCommandServer, { path, hgArgs }: StoredRevlog): Promise<void> {
  using revlog = Revlog.open(path);
  using backwards = Revlog.open(path);
  const lines = JSON.parse(
    (await server.run('debugindex', '--debug', '-T', 'json', ...hgArgs)).toString(),
  ) as IndexLine[];
  equal(revlog.length, lines.length);
  for (const [number, line] of lines.entries()) {
    const rev = number as Rev;
    const parent = revlog.deltaParent(rev);
    const ours = {
      nodeid: revlog.node(rev),
      linkrev: revlog.linkrev(rev),
      flags: revlog.flags(rev),
      'p1-rev': revlog.p1(rev),
      'p2-rev': revlog.p2(rev),
      'full-size': revlog.textLength(rev),
      'chunk-size': revlog.chunkLength(rev),
      'data-offset': revlog.chunkOffset(rev) - (revlog.isInline ? 64 * (rev + 1) : 0),
      'delta-base': !revlog.isGeneraldelta ? revlog.chain(rev)[0] : parent === nullRev ? rev : parent,
    };
    for (const [name, value] of Object.entries(ours)) equal(String(value), line[name as keyof IndexLine], name);
    equal(revlog.find(revlog.node(rev)), rev);
    const text = await server.run('debugdata', ...hgArgs, String(rev));
    ok(text.equals(revlog.text(rev)), `${path} ${rev}`);
    // From the last to the first, no text is of use for the next.
    const before = (revlog.length - 1 - rev) as Rev;
    equal(backwards.text(before).length, revlog.textLength(before));
  }
}
