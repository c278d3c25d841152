import { equal, deepEqual, throws, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import { nullNode, nullRev, type Node, type Rev } from '../../../src/engine/revlog/node';
import { Revlog } from '../../../src/engine/revlog/revlog';
import { chainRepository, chainRepositoryKinds, revlogsOf, type StoredRevlog } from '../../fixtures/chainRepositories';
import { hg } from '../../fixtures/hgCommand';
import { HgCommandServer } from '../../fixtures/hgCommandServer';
import { repository } from '../../fixtures/repositories';

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
