import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { appendFileSync, mkdirSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingSummary } from '../../src/engine/exchange/incoming';
import type { PullSummary } from '../../src/engine/exchange/pullRequest';
import type { VerifySummary } from '../../src/engine/verify/verifyRepository';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { hg, hgText } from '../fixtures/hgCommand';

describe('bringing changesets in from the command line', function () {
  this.timeout(60_000);
  const folder = temporaryFolder('exchange-cli');
  let program: DeltascopeProgram;
  let source: string;
  let clone: string;
  let count = 0;
  before(async () => {
    program = await DeltascopeProgram.build();
  });
  after(() => {
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });
  /** A clone that lacks two changesets, one of them on a branch, and a bookmark. */
  beforeEach(() => {
    source = join(folder.path, `source${count}`);
    clone = join(folder.path, `clone${count++}`);
    hg(folder.path, ['init', source]);
    commit('first');
    hg(folder.path, ['clone', '-q', '-U', '--pull', source, clone]);
    commit('second');
    hg(source, ['bookmark', '-i', 'mark']);
    hg(source, ['branch', '-q', 'stable']);
    commit('third');
  });

  const commit = (message: string) => {
    appendFileSync(join(source, 'file'), `${message}\n`);
    hg(source, ['commit', '-qAm', `${message}\n\nmore words`, '-u', 'somebody', '-d', '0 0']);
  };
  const nodes = (root: string) => hgText(root, ['log', '-T', '{node}\n']).split('\n').filter(Boolean);
  const bundleOf = (...options: string[]) => {
    const file = join(folder.path, `bundle${count++}.hg`);
    hg(source, ['bundle', '-q', ...options, file]);
    return file;
  };
  const withoutSource = () => {
    const root = join(folder.path, `alone${count++}`);
    hg(folder.path, ['init', root]);
    return root;
  };

  describe('deltascope incoming', () => {
    it('tells what a pull would bring, and writes nothing', () => {
      const [newest, older] = nodes(source);
      const run = program.run('incoming', '-R', clone);
      equal(run.code, 0, run.stderr);
      const told = [
        [`changeset: ${older}`, 'user:      somebody', 'date:      1970-01-01T00:00:00.000Z', 'files:     1'],
        ['summary:   second', '', `changeset: ${newest}`, 'branch:    stable', 'user:      somebody'],
        ['date:      1970-01-01T00:00:00.000Z', 'files:     1', 'summary:   third', ''],
      ];
      equal(run.stdout, told.flat().join('\n'));
      equal(nodes(clone).length, 1);
    });

    it('ends with 1 when nothing is new, as hg does', () => {
      hg(clone, ['pull', '-q']);
      const run = program.run('incoming', '-R', clone);
      deepEqual([run.code, run.stdout], [1, `no new changesets at ${source}\n`]);
    });

    it('is one JSON object when asked to, of what was asked for alone', () => {
      const run = program.runIn(clone, 'incoming', '--json', '-r', 'mark', source);
      deepEqual([run.code, run.stderr], [0, '']);
      const { operation, changesets } = JSON.parse(run.stdout) as IncomingSummary;
      deepEqual([operation, changesets.map(({ node }) => node)], ['incoming', [nodes(source)[1]]]);
    });

    it('looks into bundle files', () => {
      const run = program.run('incoming', '-R', clone, bundleOf('--all'));
      equal(run.code, 0, run.stderr);
      deepEqual(run.stdout.match(/(?<=changeset: )\w+/g), nodes(source).slice(0, 2).reverse());
    });
  });

  describe('deltascope pull', () => {
    it('brings a repository up to date, says what came, and then that nothing is new', () => {
      const run = program.run('pull', '-R', clone);
      equal(run.code, 0, run.stderr);
      match(run.stdout, /^2 changesets with 2 revisions of 1 file from .*source\d+\n/);
      match(run.stdout, /\nbookmark mark added\nchangegroup 0[23], .*\n$/);
      match(run.stderr, /^connect: /m);
      deepEqual(nodes(clone), nodes(source));
      const again = program.run('pull', '-R', clone);
      equal(again.code, 0, again.stderr);
      match(again.stdout, /^no new changesets from .*source\d+\nnothing new, /);
    });

    it('brings what was asked for alone, as one JSON object', () => {
      const run = program.runIn(clone, 'pull', '--json', '-r', 'mark', source);
      deepEqual([run.code, run.stderr], [0, '']);
      const { operation, changesets, bookmarks, root } = JSON.parse(run.stdout) as PullSummary;
      deepEqual([operation, changesets, root], ['pull', [nodes(source)[1]], clone]);
      deepEqual(bookmarks, { added: ['mark'], moved: [], diverged: [] });
    });

    for (const named of ['stable', 'default', 'mark'])
      it(`brings what the address names behind its #, as hg does: ${named}`, () => {
        const theirs = `${clone}-${named}`;
        cpSync(clone, theirs, { recursive: true });
        hg(theirs, ['pull', '-q', `${source}#${named}`]);
        const incoming = program.run('incoming', '-R', clone, `${source}#${named}`);
        equal(incoming.stdout.match(/^changeset: /gm)?.length, nodes(theirs).length - 1, incoming.stderr);
        equal(program.run('pull', '-R', clone, `${source}#${named}`).code, 0);
        deepEqual(nodes(clone), nodes(theirs));
      });

    it('is about the repository around the folder that it is called in', () => {
      mkdirSync(join(clone, 'some', 'where'), { recursive: true });
      const run = program.runIn(join(clone, 'some', 'where'), 'pull');
      equal(run.code, 0, run.stderr);
      deepEqual(nodes(clone), nodes(source));
    });

    it('takes a name of [paths], and says so when there is none', () => {
      writeFileSync(join(clone, '.hg', 'hgrc'), `[paths]\nelsewhere = ${source}\n`);
      const run = program.run('pull', '-R', clone);
      equal(run.code, 1);
      match(run.stderr, /^destination: The repository at .* does not say where it comes from\.\nName an address/m);
      equal(program.run('pull', '-R', clone, 'elsewhere').code, 0);
      deepEqual(nodes(clone), nodes(source));
    });

    it('ends with 1 and the kind of error, and leaves what was there', () => {
      for (const [args, message] of [
        [['-R', folder.path, source], /^destination: There is no Mercurial repository at /m],
        [['-R', clone, folder.path], /^destination: There is no Mercurial repository at /m],
        [['-R', clone, '-r', 'nowhere'], /^protocol: The server knows no nowhere/m],
        [['-R', clone, 'ftp://example.org/'], /^unsupported: Addresses that begin with ftp: /m],
        [['-R', clone, '--nonsense'], /unknown option '--nonsense'/],
      ] as const) {
        const run = program.run('pull', ...args);
        deepEqual([run.code, run.stdout], [1, ''], run.stderr);
        match(run.stderr, message);
      }
      equal(nodes(clone).length, 1);
    });

    it('brings what has nothing in common with the repository only when it is forced to', () => {
      const other = withoutSource();
      writeFileSync(join(other, 'other'), 'other\n');
      hg(other, ['commit', '-qAm', 'other', '-d', '0 0']);
      for (const command of ['pull', 'incoming']) {
        const refused = program.run(command, '-R', other, source);
        deepEqual([refused.code, refused.stdout], [1, '']);
        match(refused.stderr, /unsupported: .* has nothing in common with this repository\.\nCheck the address/);
      }
      equal(nodes(other).length, 1);
      const forced = program.run('pull', '-f', '-R', other, source);
      equal(forced.code, 0, forced.stderr);
      match(forced.stdout, /\n1 more head\n/);
    });
  });

  describe('deltascope unbundle', () => {
    it('adds a bundle file, says what came, and then that nothing is new', () => {
      const file = bundleOf('--all', '-t', 'gzip-v1');
      const root = withoutSource();
      const run = program.runIn(root, 'unbundle', file);
      equal(run.code, 0, run.stderr);
      match(run.stdout, /^3 changesets with 3 revisions of 1 file from .*bundle\d+\.hg\n/);
      match(run.stdout, /\nchangegroup 01, .* zlib \(a file\)\n$/);
      deepEqual(nodes(root), nodes(source));
      match(program.run('unbundle', '-R', root, file).stdout, /^no new changesets from /);
    });

    it('counts what is new alone, of a bundle that holds more', () => {
      const root = withoutSource();
      const all = () => bundleOf('--all');
      appendFileSync(join(source, 'another'), 'which stays\n');
      commit('fourth');
      equal(program.run('unbundle', '-R', root, all()).code, 0);
      commit('fifth');
      const run = program.run('unbundle', '--json', '-R', root, all());
      const { changesets, files, fileRevisions } = JSON.parse(run.stdout) as PullSummary;
      deepEqual([changesets.length, files, fileRevisions], [1, 1, 1]);
    });

    it('is one JSON object when asked to', () => {
      const run = program.run('unbundle', '--json', '-R', clone, bundleOf('--all'));
      deepEqual([run.code, run.stderr], [0, '']);
      const { operation, changesets, format } = JSON.parse(run.stdout) as PullSummary;
      deepEqual([operation, format], ['unbundle', 'changegroup 02']);
      deepEqual(changesets, nodes(source).slice(0, 2).reverse());
    });

    it('ends with 1 and the kind of error, and leaves what was there', () => {
      const file = bundleOf('--all', '-t', 'none-v2');
      const cut = join(folder.path, 'cut.hg');
      writeFileSync(cut, readFileSync(file).subarray(0, -200));
      const stream = join(folder.path, 'stream.hg');
      hg(source, ['debugcreatestreamclonebundle', stream]);
      const newer = bundleOf('--base', '1', '-r', '2');
      for (const [path, message] of [
        [cut, /^corrupt: /m],
        [stream, /^unsupported: .* is a stream/m],
        [newer, /^corrupt: .* has a parent that is neither here nor in the bundle/m],
        [join(source, 'file'), /^protocol: .* is no bundle that Deltascope knows/m],
        [join(folder.path, 'nowhere'), /^protocol: There is no bundle file at /m],
        [folder.path, /^protocol: There is no bundle file at /m],
      ] as const) {
        const run = program.run('unbundle', '-R', clone, path);
        deepEqual([run.code, run.stdout], [1, ''], run.stderr);
        match(run.stderr, message);
      }
      equal(nodes(clone).length, 1);
      ok(!existsSync(join(clone, '.hg', 'store', 'journal')));
    });
  });

  describe('deltascope verify', () => {
    it('counts what it checked, and says that nothing is wrong', () => {
      const run = program.run('verify', source);
      equal(run.code, 0, run.stderr);
      equal(run.stdout, 'checked 3 changesets, 3 manifests, 3 revisions of 1 file\nnothing is wrong\n');
    });

    it('ends with 1 and what is wrong, in words and as JSON', () => {
      const path = join(source, '.hg', 'store', 'data', 'file.i');
      const bytes = readFileSync(path);
      bytes[bytes.length - 1] ^= 1;
      writeFileSync(path, bytes);
      const run = program.run('verify', source);
      equal(run.code, 1);
      match(run.stdout, /^data\/file\.i: .*\n/);
      match(run.stdout, /\nchecked 3 changesets, 3 manifests, \d revisions of 1 file\n\d+ faults?\n$/);
      const json = program.runIn(source, 'verify', '--json');
      deepEqual([json.code, json.stderr], [1, '']);
      const { faultCount, faults } = JSON.parse(json.stdout) as VerifySummary;
      equal(faultCount, faults.length);
      equal(faults[0].history, 'data/file.i');
    });

    it('says what cannot be verified', () => {
      const none = program.run('verify', folder.path);
      equal(none.code, 1);
      match(none.stderr, /^destination: There is no Mercurial repository at /m);
      appendFileSync(join(source, '.hg', 'requires'), 'not-of-this-world\n');
      const foreign = program.run('verify', source);
      equal(foreign.code, 1);
      match(foreign.stderr, /^unsupported: .*not-of-this-world/m);
    });
  });
});
