import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainRow } from '../../src/engine/revlog/chainColumns';
import { chainRepository, revlogsOf } from '../fixtures/chainRepositories';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { hg } from '../fixtures/hgCommand';

describe('deltascope chains', () => {
  let program: DeltascopeProgram;
  let folder: string;
  before(async () => {
    program = await DeltascopeProgram.build();
    folder = mkdtempSync(join(tmpdir(), 'deltascope-chains-cli-'));
  });
  after(() => {
    program[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('prints what hg debugdeltachain prints, for each kind of revlog', async () => {
    const merges = await chainRepository('merges');
    const trees = await chainRepository('treeManifests');
    const cases: [string, string[], string[]][] = [
      [merges, [], ['-m']],
      [merges, ['--manifest'], ['-m']],
      [merges, ['--changelog'], ['-c']],
      [merges, ['--file', 'text'], ['text']],
      [trees, ['--dir', 'a/B/c'], ['--dir', 'a/B/c']],
      [await chainRepository('noSparse'), ['--file', 'text'], ['text']],
    ];
    for (const [root, ours, theirs] of cases) {
      const run = program.run('chains', ...ours, root);
      equal(run.stdout, hg(root, ['debugdeltachain', ...theirs]).toString(), ours.join(' '));
      equal(run.stderr, '');
      equal(run.code, 0);
      equal(
        program.run('chains', ...ours, '--summary', join(root, '.hg')).stdout,
        hg(root, ['debugrevlog', ...theirs]).toString(),
      );
    }
  });

  it('gives every column as JSON and as CSV', async () => {
    const root = await chainRepository('snapshots');
    const rows = JSON.parse(program.run('chains', '--file', 'text', '--json', root).stdout) as ChainRow[];
    const theirs = JSON.parse(hg(root, ['debugdeltachain', 'text', '-T', 'json']).toString()) as ChainRow[];
    deepEqual(
      rows.map(({ compression, ...row }) => (equal(compression, 'zstd'), row)),
      theirs,
    );
    const [head, ...lines] = program.run('chains', '--file', 'text', '--csv', root).stdout.trimEnd().split('\n');
    const names = head.split(',');
    deepEqual(
      lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell]))),
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]))),
    );
  });

  it('finds the chunks and the requirements of an index that lies in a store', async () => {
    const root = await chainRepository('noSparse');
    const revlog = revlogsOf(root).find(({ hgArgs }) => hgArgs[0] === 'text')!;
    const run = program.run('chains', '--index', revlog.path);
    equal(run.stdout, hg(root, ['debugdeltachain', 'text']).toString());
    equal(run.stderr, '');
  });

  it('shows the rest of a damaged index, says what is wrong, and ends with 1', async () => {
    const revlog = revlogsOf(await chainRepository('noSparse')).find(({ hgArgs }) => hgArgs[0] === 'text')!;
    const path = join(folder, 'text.i');
    const index = readFileSync(revlog.path);
    index.writeInt32BE(70, 30 * 64 + 16);
    writeFileSync(path, index);
    copyFileSync(revlog.path.replace(/i$/, 'd'), join(folder, 'text.d'));
    const run = program.run('chains', '--index', path);
    equal(run.stdout.trimEnd().split('\n').length, 131);
    match(run.stderr, /error: text\.i, revision 30: Revision 30 is a delta against revision 70/);
    equal(run.code, 1);
  });

  it('checks texts when it is told to', async () => {
    const revlog = revlogsOf(await chainRepository('noSparse')).find(({ hgArgs }) => hgArgs[0] === 'text')!;
    const path = join(folder, 'turned.i');
    copyFileSync(revlog.path, path);
    const chunks = readFileSync(revlog.path.replace(/i$/, 'd'));
    const row = (JSON.parse(program.run('chains', '--index', revlog.path, '--json').stdout) as ChainRow[])[40];
    chunks[readFileSync(path).readUIntBE(40 * 64, 6) + 9] ^= 4;
    writeFileSync(join(folder, 'turned.d'), chunks);
    ok(row.compsize > 20);
    const run = program.run('chains', '--index', path, '--verify', '--summary');
    match(run.stderr, /error: turned\.i, revision 40: Revision 40 \(/);
    equal(run.code, 1);
    equal(program.run('chains', '--index', revlog.path, '--verify', '--summary').code, 0);
  });

  it('says in a sentence what it cannot do', async () => {
    const root = await chainRepository('merges');
    const cases: [string[], RegExp][] = [
      [['--file', 'no such file', root], /no history of a file "no such file"/],
      [['--index', join(folder, 'none.i')], /does not exist/],
      [['--index', join(root, 'text')], /is no revlog/],
      [[folder], /no Mercurial repository/],
      [['--changelog', '--manifest', root], /cannot be used with/],
      [['--json', '--csv', root], /cannot be used with/],
    ];
    for (const [args, message] of cases) {
      const run = program.run('chains', ...args);
      match(run.stderr, message);
      ok(!run.stderr.includes('    at '), run.stderr);
      ok(run.code !== 0);
    }
  });
});

describe('deltascope survey', () => {
  let program: DeltascopeProgram;
  before(async () => (program = await DeltascopeProgram.build()));
  after(() => program[Symbol.dispose]());

  it('prints the largest revlogs, and all of them as JSON', async () => {
    const root = await chainRepository('merges');
    const people = program.run('survey', root);
    match(people.stdout, /revlogs, .* on disk for .* of texts/);
    match(people.stdout, / {2}text\n/);
    equal(people.code, 0);
    const json = JSON.parse(program.run('survey', '--json', root).stdout) as { revlogs: { name: string }[] };
    const names = hg(root, ['manifest', '--all']).toString().trim().split('\n');
    deepEqual(json.revlogs.map(({ name }) => name).sort(), [...names, 'changelog', 'manifest'].sort());
  });

  it('says in a sentence what it cannot do', () => {
    const run = program.run('survey', join(tmpdir(), 'no such folder'));
    match(run.stderr, /no Mercurial repository/);
    equal(run.code, 1);
  });
});
