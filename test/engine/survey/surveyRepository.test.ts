import { deepEqual, equal, match, ok, throws } from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unattended } from '../../../src/engine/io/operation';
import { readChainColumns } from '../../../src/engine/revlog/readChainColumns';
import { revlogAt, revlogOf } from '../../../src/engine/survey/revlogSource';
import { surveyBuffers, surveyRow, type SurveyRow } from '../../../src/engine/survey/surveyColumns';
import { repositoryAt, surveyRepository, type StoreSurvey } from '../../../src/engine/survey/surveyRepository';
import { bytesInWords, countInWords, percentInWords } from '../../../src/engine/survey/words';
import { chainRepository, isSparse, revlogsOf } from '../../fixtures/chainRepositories';
import { hg } from '../../fixtures/hgCommand';
import { writeManifestHistory } from '../../fixtures/manifestHistory';
import { repository } from '../../fixtures/repositories';

const survey = (root: string): StoreSurvey => surveyRepository(root, unattended);
const rows = ({ revlogs }: StoreSurvey): SurveyRow[] =>
  Array.from({ length: revlogs.count }, (_, at) => surveyRow(revlogs, at));

describe('a survey of a store', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'deltascope-survey-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const kind of ['merges', 'noSparse', 'noGeneraldelta', 'treeManifests', 'uncompressed'] as const) {
    it(`has every revlog, with what hg says of it: ${kind}`, async () => {
      const root = await chainRepository(kind);
      const found = rows(survey(root));
      const revlogs = revlogsOf(root);
      deepEqual(
        found.map(({ path }) => path),
        revlogs.map(({ path }) => path),
      );
      for (const [at, row] of found.entries()) {
        const { columns } = readChainColumns(
          { path: row.path, isSparse: isSparse(root) },
          { kinds: 'all', withSparse: false },
          unattended,
        );
        equal(row.revisions, columns.count);
        equal(row.chunkBytes, sum(columns.chunkLengths));
        equal(row.textBytes, sum(columns.textLengths));
        equal(sum(Object.values(row.types)), row.revisions);
        equal(sum(Object.values(row.kinds)), row.chunkBytes);
        equal(row.diskBytes, sizeOf(row.path) + sizeOf(row.path.replace(/i$/, 'd')));
        const said = /max chain length +: +(\d+)/.exec(
          hg(root, ['debugrevlog', ...revlogs[at].hgArgs]).toString(),
        )?.[1];
        equal(row.longestChain, Number(said));
        equal(row.faults, 0);
        if (at > 5) break;
      }
    });
  }

  it('names files as they are tracked, and trees by their folder', async () => {
    const root = repository('nastyNames');
    const tracked = hg(root, ['manifest', '--all']).toString('utf8').trimEnd().split('\n');
    const named = rows(survey(root)).filter(({ role }) => role === 'file');
    deepEqual(named.map(({ name }) => name).sort(), tracked.sort());
    const trees = rows(survey(await chainRepository('treeManifests'))).filter(({ role }) => role === 'tree');
    ok(trees.some(({ name }) => name === 'a/B/c'));
  });

  it('is the same from the folder .hg, and without a working copy', async () => {
    const root = await chainRepository('merges');
    equal(repositoryAt(join(root, '.hg')).root, root);
    deepEqual(survey(join(root, '.hg')).findings, survey(root).findings);
    throws(() => survey(folder), { kind: 'destination' });
  });

  it('searches the folders when fncache is missing or damaged', async () => {
    const root = copyOf(await chainRepository('merges'), 'walked');
    const expected = rows(survey(root)).map(({ name }) => name);
    writeFileSync(join(root, '.hg/store/fncache'), 'data/cut short');
    const damaged = survey(root);
    deepEqual(
      rows(damaged)
        .map(({ name }) => name)
        .sort(),
      expected.sort(),
    );
    match(damaged.findings[0].message, /fncache is cut short.* searched instead/);
    rmSync(join(root, '.hg/store/fncache'));
    deepEqual(
      rows(survey(root))
        .map(({ name }) => name)
        .sort(),
      expected.sort(),
    );
  });

  it('tells what is damaged, and shows the rest', async () => {
    const root = copyOf(await chainRepository('noSparse'), 'damaged');
    const store = join(root, '.hg/store');
    const sound = rows(survey(root));
    writeFileSync(
      join(store, 'data/file0.i'),
      'this is no revlog at all, but a line of text that somebody wrote here\n',
    );
    rmSync(join(store, 'data/file3.i'));
    truncateSync(join(store, 'data/file6.i'), sizeOf(join(store, 'data/file6.i')) - 1);
    truncateSync(join(store, 'data/text.d'), 100_000);
    writeFileSync(join(store, 'data/file9.i'), '');
    const { findings, ...damaged } = survey(root);
    const of = (name: string) => findings.filter(({ revlog }) => revlog === name);
    match(of('file0')[0].message, /no revlog/);
    match(of('file3')[0].message, /missing/);
    deepEqual([of('file6')[0].rev, of('file6')[0].severity], [0, 'error']);
    match(of('text')[0].message, /past the end of its file/);
    ok(of('text').length < 60);
    deepEqual(of('file9'), []);
    const after = rows({ findings, ...damaged });
    deepEqual(
      after.filter(({ name }) => !/^(?:file[0369]|text)$/.test(name)),
      sound.filter(({ name }) => !/^(?:file[0369]|text)$/.test(name)),
    );
    ok(findings.every(({ message, nextStep }) => message.endsWith('.') && nextStep !== ''));
    match(findings[0].message, /2 revlogs of .* could not be read/);
  });

  it('says in words what costs a lot, and what would help', () => {
    const root = join(folder, 'costly');
    hg(folder, ['init', root, '--config', 'format.sparse-revlog=no', '--config', 'format.revlog-compression=zlib']);
    const path = join(root, '.hg/store/00manifest.i');
    const size = { revisions: 10_000, files: 1000, longestChain: 700 };
    writeManifestHistory(path, { ...size, engine: 'none', mergeEvery: 50, mergesLarger: true });
    const { findings } = survey(root);
    const manifest = findings.filter(({ revlog }) => revlog === 'manifest');
    match(manifest[0].message, /^700-link chains; writing its deltas again would probably save \d+ %, .* merges/);
    match(manifest[0].nextStep ?? '', /deltascope compare/);
    ok(findings.some(({ message }) => message.includes('sparse-revlog')));
  });

  it('says nothing of a small, healthy repository', () => {
    deepEqual(survey(repository('manyFiles')).findings, []);
    equal(survey(repository('empty')).revlogs.count, 0);
  });

  it('passes to another thread, tells how it goes, and stops when it is told to', () => {
    const { revlogs } = survey(repository('manyFiles'));
    const there = structuredClone(revlogs, { transfer: surveyBuffers(revlogs) });
    equal(there.revisions.length, 1027);
    equal(revlogs.revisions.length, 0);
    const seen: number[] = [];
    const abort = new AbortController();
    const operation = {
      ...unattended,
      signal: abort.signal,
      progress: (event: { type: string; done?: number }) => {
        seen.push(event.done ?? 0);
        if (seen.length === 3) abort.abort();
      },
    };
    throws(() => surveyRepository(repository('manyFiles'), operation), { kind: 'cancelled' });
    equal(seen.length, 3);
  });
});

describe('one revlog of a repository', () => {
  it('is found by name, and by its index wherever that is', async () => {
    const root = repository('nastyNames');
    const found = repositoryAt(root);
    for (const name of hg(root, ['manifest', '--all']).toString('latin1').trimEnd().split('\n')) {
      const isPlain = Buffer.from(name, 'latin1').toString('utf8').includes('\ufffd');
      if (isPlain) continue;
      const known = Buffer.from(name, 'latin1').toString('utf8');
      const source = revlogOf(found, { role: 'file', name: known });
      ok(existsSync(source.path), name);
      const byIndex = revlogAt(source.path);
      deepEqual(byIndex, source);
    }
    throws(() => revlogOf(found, { role: 'file', name: '../../requires' }), { kind: 'destination' });
    throws(() => revlogOf(found, { role: 'tree', name: 'folder' }), {
      kind: 'destination',
      message: /a folder "folder"/,
    });
    const trees = repositoryAt(await chainRepository('treeManifests'));
    equal(
      revlogOf(trees, { role: 'tree', name: 'a/B/c/' }).path,
      revlogOf(trees, { role: 'tree', name: 'a/B/c' }).path,
    );
  });
});

describe('numbers in words', () => {
  it('have two figures that count, and a unit', () => {
    deepEqual([0, 1, 999, 1000, 9949, 9950, 999_499, 999_500, 12e12].map(bytesInWords), [
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.0 kB',
      '9.9 kB',
      '10 kB',
      '999 kB',
      '1.0 MB',
      '12 TB',
    ]);
    deepEqual([percentInWords(1, 3), percentInWords(1, 300), percentInWords(0, 0)], ['33 %', '0.3 %', '0 %']);
    deepEqual([countInWords(1, 'link'), countInWords(1234, 'link')], ['1 link', '1,234 links']);
  });
});

function copyOf(root: string, name: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'deltascope-survey-copy-')), name);
  cpSync(root, copy, { recursive: true });
  process.once('exit', () => rmSync(join(copy, '..'), { recursive: true, force: true }));
  return copy;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
