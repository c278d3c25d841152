import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CloneSummary } from '../../src/engine/exchange/cloneRequest';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { HgServer } from '../fixtures/hg';
import { hg, hgText } from '../fixtures/hgCommand';
import { repository } from '../fixtures/repositories';
import { SlowProxy } from '../fixtures/slowProxy';

describe('deltascope clone', () => {
  const folder = temporaryFolder('clone-cli');
  let program: DeltascopeProgram;
  let server: HgServer;
  let number = 0;
  const stateOf = (root: string) => ({
    log: hgText(root, ['log', '-T', '{node} {phase} {bookmarks}\n']).trim().split('\n').sort(),
    checkedOut: hgText(root, ['id', '-i', '-b']),
    status: hgText(root, ['status']),
    source: hgText(root, ['paths']),
  });
  const place = () => join(folder.path, `clone${number++}`);
  before(async () => {
    program = await DeltascopeProgram.build();
    server = await HgServer.start(repository('branches'), { prefix: 'sample' });
  });
  after(async () => {
    await server.stop();
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('says in plain lines what it does and what it did', () => {
    const clone = place();
    const run = program.run('clone', '--stream', server.url, clone);
    equal(run.code, 0, run.stderr);
    deepEqual(
      run.stderr
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0]),
      ['connect', 'transfer', 'checkout'],
    );
    match(run.stdout, /^cloned http:\/\/127\.0\.0\.1:\d+\/sample\/ into .*\n14 revisions, \d+ store files, /);
    match(run.stdout, /stream v2, none \(stream clone: the server prefers to send it uncompressed\)/);
    equal(hgText(clone, ['status']), '');
  });

  it('ends with one JSON object when it is asked to, and says nothing else', () => {
    const clone = place();
    const run = program.run('clone', '--json', '-u', 'v1.0', server.url, clone);
    equal(run.code, 0, run.stderr);
    equal(run.stderr, '');
    const summary = JSON.parse(run.stdout) as CloneSummary;
    equal(run.stdout.trim().split('\n').length, 1);
    equal(summary.operation, 'clone');
    equal(summary.destination, clone);
    equal(summary.compression, 'none');
    equal(String(summary.revisions), hgText(clone, ['log', '-r', 'tip', '-T', '{rev + 1}']));
    equal(summary.update?.node, hgText(clone, ['log', '-r', 'v1.0', '-T', '{node}']));
    equal(hgText(clone, ['id', '-i']), summary.update.node.slice(0, 12));
    deepEqual(
      summary.phases.map(({ phase }) => phase),
      ['connect', 'transfer', 'checkout'],
    );
    ok(summary.phases.every(({ seconds, done }) => seconds >= 0 && done > 0));
    ok(summary.files > 0 && summary.bytes > 0 && summary.bytesOnWire > summary.bytes);
  });

  it('leaves the working copy empty with -U, and takes the branch after the # of an address', () => {
    const empty = place();
    equal(program.run('clone', '-U', server.url, empty).code, 0);
    deepEqual(readdirSync(empty), ['.hg']);
    const branch = place();
    equal(program.run('clone', `${server.url}#stable`, branch).code, 0);
    equal(hgText(branch, ['branch']), 'stable');
  });

  for (const [name, ours, theirs] of [
    ['revision', ['-r', 'v1.0'], ['-r', 'v1.0']],
    ['several', ['--pull', '-r', 'stable', '-r', 'v1.0'], ['-r', 'stable', '-r', 'v1.0']],
  ] as const) {
    it(`brings what it was asked for with its ancestors, and checks that out, as hg does: ${name}`, () => {
      const [clone, judge] = [place(), place()];
      const run = program.run('clone', ...ours, server.url, clone);
      equal(run.code, 0, run.stderr);
      hg(folder.path, ['clone', '-q', '--pull', ...theirs, server.url, judge]);
      deepEqual(stateOf(clone), stateOf(judge));
    });
  }

  it('brings the branch that the address names when it pulls, as hg does', () => {
    const [clone, judge] = [place(), place()];
    const run = program.run('clone', '--pull', `${server.url}#stable`, clone);
    equal(run.code, 0, run.stderr);
    hg(folder.path, ['clone', '-q', '--pull', `${server.url}#stable`, judge]);
    deepEqual(stateOf(clone), stateOf(judge));
    ok(stateOf(clone).log.length < Number(hgText(repository('branches'), ['log', '-r', 'tip', '-T', '{rev}'])));
  });

  it('knows before anything is sent whether a revision is there, on a server and on this machine', () => {
    for (const source of [server.url, repository('branches')]) {
      const missing = program.run('clone', '-u', 'nowhere', source, place());
      deepEqual([missing.code, missing.stderr.includes('transfer')], [1, false], missing.stderr);
      match(missing.stderr, /nowhere/);
      for (const name of ['0', '-2', 'v1.0']) {
        const clone = place();
        const run = program.run('clone', '-u', name, source, clone);
        equal(run.code, 0, run.stderr);
        equal(hgText(clone, ['id', '-i']), hgText(repository('branches'), ['log', '-r', name, '-T', '{node|short}']));
      }
    }
  });

  it('refuses what contradicts itself', () => {
    for (const options of [
      ['--stream', '--pull'],
      ['--stream', '-r', 'v1.0'],
      ['-U', '-u', 'v1.0'],
    ]) {
      const clone = place();
      const run = program.run('clone', ...options, server.url, clone);
      deepEqual([run.code, existsSync(clone)], [1, false]);
      match(run.stderr, /cannot be used with option/);
    }
  });

  it('names the clone after the address, where that has a name', () => {
    const parent = place();
    mkdirSync(parent);
    const run = (url: string) => program.runIn(parent, 'clone', '-U', url);
    equal(run(server.url).code, 0);
    deepEqual(readdirSync(parent), ['sample']);
    const nameless = run(new URL('/', server.url).href);
    equal(nameless.code, 1);
    match(nameless.stderr, /^destination: The address has no path .*\nName a folder/);
    deepEqual(readdirSync(parent), ['sample']);
  });

  it('ends with 1 and the kind of error, and leaves nothing', () => {
    const taken = place();
    mkdirSync(taken);
    writeFileSync(join(taken, 'mine'), '');
    const bundle = join(folder.path, 'bundle.hg');
    hg(repository('branches'), ['bundle', '-q', '--all', bundle]);
    const cases: [string[], RegExp][] = [
      [['-r', 'v1.0', bundle, place()], /^unsupported: .*bundle file/],
      [['http://127.0.0.1:9/x', place()], /^network: /],
      [[server.url.replace('sample', 'other'), place()], /^protocol: /],
      [[server.url, taken], /^destination: .*not empty/],
      [['gopher://example.org/x', place()], /^unsupported: /],
      [['-u', 'nowhere', server.url, place()], /^\w+: .*nowhere/],
    ];
    for (const [args, words] of cases) {
      const run = program.run('clone', ...args);
      equal(run.code, 1, run.stderr);
      equal(run.stdout, '');
      match(
        run.stderr
          .split('\n')
          .filter((line) => !/^(connect|transfer)/.test(line))
          .join('\n'),
        words,
      );
      if (args.at(-1) !== taken) equal(existsSync(args.at(-1) ?? ''), false);
    }
    deepEqual(readdirSync(taken), ['mine']);
    deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('explains its arguments when they make no sense', () => {
    const cases: [string[], RegExp][] = [
      [[], /missing required argument 'url'/],
      [['--sideways', 'x'], /unknown option '--sideways'/],
      [['a', 'b', 'c'], /too many arguments/],
    ];
    for (const [args, words] of cases) {
      const run = program.run('clone', ...args);
      equal(run.code, 1);
      match(run.stderr, words);
    }
    match(program.run('clone', '--help').stdout, /--noupdate/);
    equal(program.run('--version').code, 0);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`ends with 130 when ${signal} interrupts it, and leaves nothing`, async () => {
      await using large = await HgServer.start(repository('zlib'));
      await using proxy = await SlowProxy.start(large.url, 200_000);
      const parent = place();
      mkdirSync(parent);
      const child = spawn(process.execPath, [program.script, 'clone', proxy.url, join(parent, 'clone')], {
        env: program.environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      const connected = new Promise<void>((resolve) => {
        child.stderr.on('data', (bytes: Buffer) => {
          said += bytes.toString();
          if (said.includes('connect:')) resolve();
        });
      });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      await Promise.race([connected, ended]);
      child.kill(signal);
      equal(await ended, 130, said);
      match(said, /cancelled: /);
      deepEqual(readdirSync(parent), []);
    });
  }
});
