import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatSummary } from '../../../src/cli/revlogSummary';
import { chunkKinds } from '../../../src/engine/compression/block';
import { unattended } from '../../../src/engine/io/operation';
import { chainBuffers, chainOf, chainRow, type ChainRow } from '../../../src/engine/revlog/chainColumns';
import { summarizeChains } from '../../../src/engine/revlog/chainSummary';
import type { Rev } from '../../../src/engine/revlog/node';
import { everyDetail, readChainColumns } from '../../../src/engine/revlog/readChainColumns';
import { Revlog } from '../../../src/engine/revlog/revlog';
import {
  chainRepository,
  chainRepositoryKinds,
  dagRepository,
  isSparse,
  revlogsOf,
  type StoredRevlog,
} from '../../fixtures/chainRepositories';
import { hg } from '../../fixtures/hgCommand';
import { HgCommandServer } from '../../fixtures/hgCommandServer';
import { roundsOf } from '../../fixtures/howMuch';
import { oddEntries, writeSyntheticIndex } from '../../fixtures/syntheticRevlog';

const manyRevisions = roundsOf(20_000, 6_000);

describe('the delta chains of a revlog', () => {
  for (const kind of chainRepositoryKinds) {
    it(`are what hg debugdeltachain and hg debugrevlog say: ${kind}`, async () => {
      await compareAll(await chainRepository(kind));
    });
  }

  it('are what hg says of thousands of revisions', async () => {
    const root = dagRepository(manyRevisions);
    await compareAll(root);
    const columns = readChainColumns(
      { path: revlogsOf(root)[0].path, isSparse: true },
      everyDetail,
      unattended,
    ).columns;
    ok(columns.count > manyRevisions);
  });

  describe('that no program would write', () => {
    let folder: string;
    before(() => (folder = mkdtempSync(join(tmpdir(), 'deltascope-odd-'))));
    after(() => rmSync(folder, { recursive: true }));

    it('are what hg says of them, with all types and gaps', async () => {
      const seen = new Set<string>();
      const root = emptyRepository(join(folder, 'sparse'));
      for (const seed of [2, 13, 17, 76]) {
        for (const row of await compareOdd(root, seed, true)) seen.add(row.deltatype);
      }
      deepEqual([...seen].sort(), ['base', 'other', 'p1', 'p2', 'prev', 'skip1', 'skip2', 'snap']);
    });

    it('are what hg says of them where it does not know sparse reads, nor generaldelta', async () => {
      const root = emptyRepository(join(folder, 'plain'), '--config', 'format.sparse-revlog=no');
      await compareOdd(root, 5, true);
      await compareOdd(root, 6, false);
    });
  });

  it('tell how each chunk is stored', async () => {
    const seen = new Set<string>();
    for (const kind of ['zlib', 'zstd', 'uncompressed', 'merges'] as const) {
      for (const { path } of revlogsOf(await chainRepository(kind))) {
        const { columns } = readChainColumns({ path, isSparse: true }, everyDetail, unattended);
        using revlog = Revlog.open(path);
        for (let rev = 0; rev < columns.count; rev++) {
          const name = chunkKinds[columns.kinds?.[rev] ?? -1];
          const first = revlog.chunk(rev as Rev)[0] as number | undefined;
          const expected =
            first === undefined ? 'empty' : { 0: 'whole', 0x28: 'zstd', 0x75: 'stored', 0x78: 'zlib' }[first];
          equal(name, expected);
          seen.add(name);
          deepEqual(chainOf(columns, rev), revlog.chain(rev as Rev));
        }
      }
    }
    deepEqual([...seen].sort(), ['empty', 'stored', 'whole', 'zlib', 'zstd']);
  });

  it('pass to another thread without a copy', async () => {
    const [{ path }] = revlogsOf(await chainRepository('snapshots'));
    const { columns } = readChainColumns({ path, isSparse: true }, everyDetail, unattended);
    const { count } = columns;
    const there = structuredClone(columns, { transfer: chainBuffers(columns) });
    equal(there.offsets.length, count);
    equal(columns.offsets.length, 0);
    equal(chainRow(there, count - 1).rev, count - 1);
  });

  it('are read with progress, and no further once that is stopped', async () => {
    const root = dagRepository(manyRevisions);
    const path = join(root, '.hg/store/00changelog.i');
    const phases = new Set<string>();
    const abort = new AbortController();
    const operation = { ...unattended, signal: abort.signal };
    readChainColumns({ path, isSparse: true }, everyDetail, {
      ...operation,
      progress: (event) => event.type === 'phase' && phases.add(`${event.phase} ${event.state}`),
    });
    for (const phase of ['index done', 'read done', 'analyse done']) ok(phases.has(phase), phase);
    abort.abort();
    await Promise.resolve();
    let kind: unknown;
    try {
      readChainColumns({ path, isSparse: true }, everyDetail, operation);
    } catch (error) {
      kind = (error as { kind?: string }).kind;
    }
    equal(kind, 'cancelled');
  });
});

async function compareAll(root: string): Promise<void> {
  const server = await HgCommandServer.start(root);
  try {
    for (const revlog of revlogsOf(root)) await compare(server, revlog, isSparse(root));
  } finally {
    await server.stop();
  }
}

async function compare(server: HgCommandServer, { path, hgArgs }: StoredRevlog, sparse: boolean): Promise<ChainRow[]> {
  const theirs = JSON.parse((await server.run('debugdeltachain', ...hgArgs, '-T', 'json')).toString()) as ChainRow[];
  const { columns, faults } = readChainColumns({ path, isSparse: sparse }, everyDetail, unattended);
  deepEqual(faults, []);
  equal(columns.count, theirs.length);
  for (const row of theirs) {
    const { compression, ...ours } = chainRow(columns, row.rev);
    ok(compression !== undefined);
    // Every column, and no other: numbers to the last digit that hg prints.
    deepEqual(ours, row);
  }
  const summary = (await server.run('debugrevlog', ...hgArgs)).toString();
  equal(formatSummary(summarizeChains(columns)), summary);
  return theirs;
}

function emptyRepository(root: string, ...options: string[]): string {
  mkdirSync(root);
  hg(root, ['init', ...options]);
  mkdirSync(join(root, '.hg/store/data'));
  return root;
}

async function compareOdd(root: string, seed: number, isGeneraldelta: boolean): Promise<ChainRow[]> {
  const path = join(root, '.hg/store/data/odd.i');
  const chunkPath = join(root, '.hg/store/data/odd.d');
  const size = writeSyntheticIndex(path, 3000, oddEntries(seed, isGeneraldelta), isGeneraldelta ? undefined : 1);
  writeFileSync(chunkPath, '');
  truncateSync(chunkPath, size);
  const server = await HgCommandServer.start(root);
  try {
    return await compare(server, { path, hgArgs: ['odd'] }, isSparse(root));
  } finally {
    await server.stop();
  }
}
