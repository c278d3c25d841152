import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { zstdReady } from '../../../src/engine/compression/block';
import { unattended } from '../../../src/engine/io/operation';
import { ChainCache } from '../../../src/engine/revlog/chainCache';
import { chainRow, deltaTypes } from '../../../src/engine/revlog/chainColumns';
import { summarizeChains } from '../../../src/engine/revlog/chainSummary';
import { everyDetail, readChainColumns, type ChainReading } from '../../../src/engine/revlog/readChainColumns';
import { findTextFaults } from '../../../src/engine/revlog/textFaults';
import { estimateWaste } from '../../../src/engine/revlog/wasteEstimate';
import { pseudoRandom } from '../../fixtures/sourceHistory';
import { oddEntries, writeSyntheticIndex } from '../../fixtures/syntheticRevlog';
import { writeManifestHistory } from '../../fixtures/manifestHistory';

const entryLength = 64;
const revisions = 200;

describe('an index with something wrong', () => {
  let folder: string;
  let path: string;
  let chunkPath: string;
  let sound: Buffer;

  before(async () => {
    await zstdReady;
    folder = mkdtempSync(join(tmpdir(), 'deltascope-faults-'));
    path = join(folder, 'index.i');
    chunkPath = join(folder, 'index.d');
    const size = writeSyntheticIndex(path, revisions, oddEntries(3));
    writeFileSync(chunkPath, '');
    truncateSync(chunkPath, size);
    sound = readFileSync(path);
  });
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => writeFileSync(path, sound));

  it('shows the rest, and a fault at the revision', () => {
    const at = 50 * entryLength;
    const cases: [string, (index: Buffer) => void][] = [
      ['base', (index) => index.writeInt32BE(120, at + 16)],
      ['base', (index) => index.writeInt32BE(-1, at + 16)],
      ['parent', (index) => index.writeInt32BE(50, at + 24)],
      ['parent', (index) => index.writeInt32BE(-2, at + 28)],
      ['flags', (index) => index.writeUInt16BE(1, at + 6)],
      ['length', (index) => index.writeInt32BE(-5, at + 12)],
      ['gap', (index) => index.writeUIntBE(index.readUIntBE(at, 6) + 1, at, 6)],
      ['pastEnd', (index) => index.writeUIntBE(2 ** 47, at, 6)],
      ['pastEnd', (index) => index.writeUInt32BE(0xffff_ffff, at + 8)],
    ];
    for (const [kind, change] of cases) {
      const { columns, faults } = changed(change);
      equal(columns.count, revisions);
      ok(
        faults.some(
          (fault) => fault.kind === kind && fault.rev === 50 && /^(?:The chunk of r|R)evision 50 /.test(fault.message),
        ),
        `${kind}: ${JSON.stringify(faults)}`,
      );
      equal(chainRow(columns, 49).deltatype, chainRow(changed(() => undefined).columns, 49).deltatype);
    }
  });

  it('does not go round in a loop of bases', () => {
    const { columns, faults } = changed((index) => {
      index.writeInt32BE(21, 20 * entryLength + 16);
      index.writeInt32BE(20, 21 * entryLength + 16);
    });
    deepEqual(
      faults.map(({ kind, rev }) => [kind, rev]),
      [['base', 20]],
    );
    equal(deltaTypes[columns.types[20]], 'broken');
    equal(columns.deltaParents[21], 20);
    equal(columns.chainLengths[21], 2);
  });

  it('is read up to where it is cut, which is told', () => {
    for (const cut of [1, 63]) {
      writeFileSync(path, sound.subarray(0, 100 * entryLength + cut));
      const { columns, faults } = read();
      equal(columns.count, 100);
      deepEqual(
        faults.map(({ kind, rev }) => [kind, rev]),
        [['cutShort', 100]],
      );
    }
  });

  it('is refused when it is no revlog', () => {
    for (const header of ['00000000', '0001dead', 'ffd8ffe0']) {
      writeFileSync(path, Buffer.concat([Buffer.from(header, 'hex'), sound.subarray(4)]));
      throws(() => read(), { kind: 'unsupported' });
    }
    throws(() => readChainColumns({ path: join(folder, 'none.i'), isSparse: true }, everyDetail, unattended), {
      code: 'ENOENT',
    });
  });

  it('is shown without its chunks, and with chunks that end too early', () => {
    const missing = readChainColumns(
      { path, chunkPath: join(folder, 'none.d'), isSparse: true },
      everyDetail,
      unattended,
    );
    deepEqual(
      missing.faults.map(({ kind }) => kind),
      ['noChunks'],
    );
    equal(missing.columns.count, revisions);
    equal(missing.columns.kinds, undefined);
    const short = join(folder, 'short.d');
    writeFileSync(short, Buffer.alloc(1000));
    for (const kinds of ['all', 'some', 'none'] as const) {
      const reading = readChainColumns(
        { path, chunkPath: short, isSparse: true },
        { kinds, withSparse: true },
        unattended,
      );
      ok((reading.faultCounts.pastEnd ?? 0) > 50);
      ok(reading.faults.length <= 50);
    }
  });

  it('has its faults counted, not all listed, when there are very many', () => {
    const { faults, faultCounts } = changed((index) => {
      for (let rev = 1; rev < revisions; rev++) index.writeInt32BE(rev + 1, rev * entryLength + 16);
    });
    equal(faultCounts.base, revisions - 1);
    equal(faults.length, 50);
  });

  it('never harms when bits are turned, and every column can be shown', () => {
    const random = pseudoRandom(31);
    for (let turn = 0; turn < 400; turn++) {
      const index = Buffer.from(sound);
      for (let bit = 0; bit < 3; bit++) index[Math.floor(random() * index.length)] ^= 1 << Math.floor(random() * 8);
      writeFileSync(path, index);
      try {
        const { columns } = read();
        for (let rev = 0; rev < columns.count; rev++) ok(chainRow(columns, rev).chainlen >= 1);
        summarizeChains(columns);
        estimateWaste(columns);
      } catch (error) {
        equal((error as { kind?: string }).kind, 'unsupported');
      }
    }
  });

  it('that changes while it is read is shown as it was, and says so', () => {
    let isTouched = false;
    const { columns, faults } = readChainColumns({ path, isSparse: true }, everyDetail, {
      ...unattended,
      progress: () => {
        if (!isTouched) appendFileSync(path, sound.subarray(0, entryLength));
        isTouched = true;
      },
    });
    equal(columns.count, revisions);
    deepEqual(
      faults.map(({ kind }) => kind),
      ['changed'],
    );
  });

  it('that becomes shorter while it is read is shown as far as it goes', () => {
    const long = join(folder, 'long.i');
    writeSyntheticIndex(long, 100_000, (rev) => ({ base: rev, p1: rev - 1, chunkLength: 1, textLength: 1 }));
    let isCut = false;
    const { columns, faultCounts } = readChainColumns(
      { path: long, isSparse: true },
      { kinds: 'none', withSparse: true },
      {
        ...unattended,
        progress: () => {
          if (!isCut) truncateSync(long, 80_000 * entryLength);
          isCut = true;
        },
      },
    );
    equal(columns.count, 80_000);
    equal(faultCounts.changed, 1);
    equal(faultCounts.cutShort, 1);
  });

  function read(): ChainReading {
    return readChainColumns({ path, isSparse: true }, everyDetail, unattended);
  }

  function changed(change: (index: Buffer) => void): ChainReading {
    const index = Buffer.from(sound);
    change(index);
    writeFileSync(path, index);
    // Chunks of made-up indexes are zeros: stored whole.
    return read();
  }
});

describe('chains that were read before', () => {
  it('are read again only when their files have changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deltascope-cache-'));
    try {
      const source = { path: join(folder, 'a.i'), isSparse: true };
      writeSyntheticIndex(source.path, 1000, oddEntries(1));
      const cache = new ChainCache(200_000);
      let readings = 0;
      const get = (one = source) =>
        cache.get(one, everyDetail, () => (readings++, readChainColumns(one, everyDetail, unattended)));
      equal(await get(), await get());
      equal(readings, 1);
      utimesSync(source.path, 1, 1);
      await get();
      equal(readings, 2);
      // A second revlog is one too many for the limit.
      const other = { path: join(folder, 'b.i'), isSparse: true };
      writeSyntheticIndex(other.path, 3000, oddEntries(2));
      await get(other);
      await get(source);
      equal(readings, 4);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('checking every text', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'deltascope-texts-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('finds the chunks and the hashes that are wrong, and not what is built on them', () => {
    const path = join(folder, 'm.i');
    const chunkPath = join(folder, 'm.d');
    writeManifestHistory(path, { revisions: 120, files: 60, engine: 'zlib', longestChain: 30 });
    deepEqual(findTextFaults(path, {}, unattended).first, []);
    const index = readFileSync(path);
    const chunks = readFileSync(chunkPath);
    const offsetOf = (rev: number) => (rev === 0 ? 0 : index.readUIntBE(rev * entryLength, 6));
    // A chunk that does not inflate, on one branch; on the other, a node that is not its text's.
    chunks.fill(0xff, offsetOf(10) + 2, offsetOf(11));
    index[14 * entryLength + 33] ^= 1;
    writeFileSync(path, index);
    writeFileSync(chunkPath, chunks);
    const faults = findTextFaults(path, {}, unattended);
    deepEqual(
      faults.first.map(({ kind, rev }) => [kind, rev]),
      [
        ['chunk', 10],
        ['hash', 14],
      ],
    );
    // What is built on them is as wrong, and not told again.
    ok(faults.first.length < 6, JSON.stringify(faults.first));
  });

  it('finds a chunk that inflates to what nobody promised', () => {
    const path = join(folder, 'b.i');
    writeSyntheticIndex(path, 1, () => ({ base: 0, p1: -1, chunkLength: 9720, textLength: 100 }));
    writeFileSync(join(folder, 'b.d'), deflateSync(Buffer.alloc(10_000_000)));
    deepEqual(
      findTextFaults(path, {}, unattended).first.map(({ kind, rev }) => [kind, rev]),
      [['chunk', 0]],
    );
  });
});

describe('the waste estimate', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'deltascope-waste-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('is small where deltas are good, and finds merges and whole texts where they are not', () => {
    const measure = (name: string, mergeEvery: number, longestChain: number) => {
      const path = join(folder, name);
      writeManifestHistory(path, { revisions: 1500, files: 800, engine: 'zlib', longestChain, mergeEvery });
      const { columns } = readChainColumns({ path, isSparse: true }, everyDetail, unattended);
      return { ...estimateWaste(columns), of: columns.chunkBytes };
    };
    const healthy = measure('healthy.i', 0, 900);
    ok(healthy.total < healthy.of * 0.1, JSON.stringify(healthy));
    const merges = measure('merges.i', 100, 900);
    ok(merges.merges > 0.1 * merges.of && merges.merges > merges.snapshots, JSON.stringify(merges));
    const wholes = measure('wholes.i', 0, 10);
    ok(wholes.snapshots > wholes.of / 2, JSON.stringify(wholes));
  });
});
