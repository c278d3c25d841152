import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packsOf } from '../../src/editor/chains/findRepositories';
import { chainsOfPack, chainsOfRevlog, memberCount, membersOf, placeOf } from '../../src/editor/chains/storedChains';
import { unattended } from '../../src/engine/io/operation';
import { readPackColumns } from '../../src/engine/pack/readPackColumns';
import { everyDetail, readChainColumns } from '../../src/engine/revlog/readChainColumns';
import { readNode } from '../../src/engine/revlog/readNode';
import { chainRepository, revlogsOf } from '../fixtures/chainRepositories';
import { git, gitLines, temporaryFolder } from '../fixtures/gitRepository';
import { hgText } from '../fixtures/hgCommand';

interface HgRow {
  rev: number;
  chainid: number;
  chainlen: number;
  compsize: number;
}

describe('the chains of a revlog, for the tree', () => {
  it('are those of hg debugdeltachain, the largest first', async () => {
    const root = await chainRepository('snapshots');
    for (const { path, hgArgs } of revlogsOf(root).slice(0, 8)) {
      const rows = JSON.parse(hgText(root, ['debugdeltachain', '-T', 'json', ...hgArgs])) as HgRow[];
      const { columns } = readChainColumns({ path, isSparse: true }, everyDetail, unattended);
      const chains = chainsOfRevlog(columns);
      const ids = [...new Set(rows.map(({ chainid }) => chainid))];
      assert.equal(chains.count, ids.length);
      let before = Infinity;
      for (const chain of chains.bySize) {
        const own = rows.filter(({ chainid }) => chainid === chain + 1);
        const bytes = own.reduce((sum, { compsize }) => sum + compsize, 0);
        assert.deepEqual(
          membersOf(chains, chain, own.length),
          own.map(({ rev }) => rev),
        );
        assert.equal(memberCount(chains, chain), own.length);
        assert.equal(chains.bytes[chain], bytes);
        assert.equal(chains.longest[chain], Math.max(...own.map(({ chainlen }) => chainlen)) - 1);
        assert.ok(bytes <= before);
        before = bytes;
      }
      const last = rows[rows.length - 1];
      assert.equal(placeOf(chains, last.rev)?.chain, last.chainid - 1);
      assert.equal(placeOf(chains, rows.length), undefined);
    }
  });

  it('have the nodes that hg gives, inline or not', async () => {
    const root = await chainRepository('snapshots');
    for (const name of ['00changelog.i', '00manifest.i']) {
      const path = join(root, '.hg/store', name);
      const { columns } = readChainColumns({ path, isSparse: true }, everyDetail, unattended);
      const index = hgText(root, ['debugindex', name === '00manifest.i' ? '-m' : '-c', '--debug']);
      const nodes = index.split('\n').flatMap((line) => /[0-9a-f]{40}/.exec(line)?.[0] ?? []);
      assert.ok(nodes.length > 100);
      assert.deepEqual(
        Array.from({ length: columns.count }, (_, rev) => readNode(columns, rev)),
        nodes,
      );
    }
  });

  it('of a pack are its whole objects with what is built on them', async () => {
    using folder = temporaryFolder('chains');
    git(folder.path, ['init', '-q']);
    const lines = Array.from({ length: 400 }, (_, at) => `line ${at} ${'x'.repeat(20)}`);
    for (let commit = 0; commit < 12; commit++) {
      lines[commit * 20] = `changed in ${commit}`;
      writeFileSync(join(folder.path, 'text.txt'), lines.join('\n'));
      git(folder.path, ['add', '.']);
      git(folder.path, ['commit', '-q', '-m', `change ${commit}`]);
    }
    git(folder.path, ['gc', '-q']);
    const [{ path }] = packsOf(folder.path);
    const columns = await readPackColumns(path, unattended);
    const chains = chainsOfPack(columns);
    const wholes = gitLines(folder.path, ['verify-pack', '-v', path]).filter((line) =>
      /^[0-9a-f]{40} \S+ +\d+ \d+ \d+$/.test(line),
    );
    assert.equal(chains.count, wholes.length);
    assert.equal(Math.max(...chains.longest), Math.max(...columns.depths));
    assert.ok(Math.max(...chains.longest) > 5);
    assert.equal(chains.members.length, columns.count);
  });
});
