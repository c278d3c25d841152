import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import type { CloneSummary, WantedUpdate } from '../../../src/engine/exchange/cloneRequest';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { builtEngine } from '../../fixtures/engine';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { casesOf } from '../../fixtures/howMuch';
import { repository, repositoryKinds, type RepositoryKind } from '../../fixtures/repositories';

/** What a server is told to speak, by the format that a clone of it then has. */
const dialects = { 'stream v2': [], 'stream v1': ['server.bundle2.stream=no'] };

describe('clone by stream', function () {
  this.timeout(120_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let count = 0;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('stream-clone');
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const fresh = () => join(folder.path, `clone-${count++}`);
  const clone = (source: string, destination: string, update: WantedUpdate = { kind: 'default' }) =>
    engine.clone({ source, destination, update, settings: defaultWireSettings }, unattended);

  const few = ['empty', 'branches', 'draft', 'renames', 'modes', 'nastyNames'] as const;
  for (const kind of casesOf<RepositoryKind>(repositoryKinds, few)) {
    for (const [format, config] of Object.entries(dialects)) {
      it(`leaves of ${kind} what hg leaves, by ${format}`, async () => {
        await using server = await HgServer.start(repository(kind), { config });
        const ours = fresh();
        const summary = await clone(server.url, ours);
        assert.equal(summary.format, format);

        // hg's own legacy client loses bytes of names at the ends of what it reads: the judge clones by stream v2.
        await using judgeServer = await HgServer.start(repository(kind));
        const theirs = fresh();
        await run(['clone', '-q', '--stream', judgeServer.url, theirs]);
        assert.deepEqual(storeOf(ours), storeOf(theirs));
        assert.deepEqual(linesOf(ours, 'fncache'), linesOf(theirs, 'fncache'));
        assert.deepEqual(linesOf(ours, 'requires'), linesOf(theirs, 'requires'));
        assert.deepEqual(workingCopyOf(ours), workingCopyOf(theirs));
        for (const question of [
          ['status'],
          ['id'],
          ['branch'],
          ['log', '-T', '{node} {phase} {branch} {bookmarks} {tags}\n'],
        ]) {
          assert.equal(await run(['-R', ours, ...question]), await run(['-R', theirs, ...question]), question[0]);
        }
        assert.equal(await run(['-R', ours, 'status']), '');
        await assertVerified(ours);
      });
    }
  }

  it('keeps draft changesets draft, by both formats', async () => {
    for (const config of Object.values(dialects)) {
      await using server = await HgServer.start(repository('draft'), { config: [...config, 'phases.publish=no'] });
      const ours = fresh();
      await clone(server.url, ours);
      assert.equal(
        await run(['-R', ours, 'log', '-T', '{node} {phase}\n']),
        await run(['-R', repository('draft'), 'log', '-T', '{node} {phase}\n']),
      );
    }
  });

  it('is told that the stream travels uncompressed, and why', async () => {
    await using server = await HgServer.start(repository('manyFiles'));
    const summary: CloneSummary = await clone(server.url, fresh(), { kind: 'none' });
    assert.equal(summary.compression, 'none');
    assert.match(summary.reason, /prefers/);
    assert.equal(summary.files >= 1025, true);
  });

  it('checks out nothing, a revision, or the branch that the address names', async () => {
    await using server = await HgServer.start(repository('branches'));
    const nothing = fresh();
    await clone(server.url, nothing, { kind: 'none' });
    assert.deepEqual(workingCopyOf(nothing), []);
    await assertVerified(nothing);

    const first = fresh();
    await clone(server.url, first, { kind: 'revision', revision: '0' });
    assert.equal(await run(['-R', first, 'id', '-n']), '0\n');
    assert.equal(await run(['-R', first, 'status']), '');
    await run(['-R', first, 'update', '-q', 'tip']);
    assert.equal(await run(['-R', first, 'status']), '');

    const branch = (await run(['-R', nothing, 'branches', '-T', '{branch}\n'])).split('\n')[0];
    const named = fresh();
    await clone(`${server.url}#${encodeURIComponent(branch)}`, named);
    assert.equal(await run(['-R', named, 'branch']), `${branch}\n`);
  });

  it('says that a server offers no streams, and leaves nothing', async () => {
    await using server = await HgServer.start(repository('manyFiles'), { config: ['server.uncompressed=no'] });
    const before = readdirSync(folder.path);
    await assert.rejects(
      clone(server.url, fresh()),
      (error) => error instanceof EngineError && error.kind === 'unsupported',
    );
    assert.deepEqual(readdirSync(folder.path), before);
  });

  it('refuses a destination that is not empty, and leaves it as it was', async () => {
    const before = readdirSync(join(folder.path));
    await assert.rejects(
      clone('http://127.0.0.1:9/', folder.path),
      (error) => error instanceof EngineError && error.kind === 'destination',
    );
    assert.deepEqual(readdirSync(folder.path), before);
  });

  it('leaves nothing when it is stopped', async () => {
    await using server = await HgServer.start(repository('manyFiles'));
    for (const after of [1, 2, 20, 200]) {
      const before = readdirSync(folder.path);
      const abort = new AbortController();
      let events = 0;
      const operation = {
        ...unattended,
        signal: abort.signal,
        progress: () => {
          if (++events >= after) abort.abort();
        },
      };
      const request = { source: server.url, destination: fresh(), settings: defaultWireSettings };
      const outcome = engine.clone({ ...request, update: { kind: 'default' } }, operation);
      if (after <= 2) {
        await assert.rejects(outcome, (error) => error instanceof EngineError && error.kind === 'cancelled');
        assert.deepEqual(readdirSync(folder.path), before);
      } else await outcome.catch(() => assert.deepEqual(readdirSync(folder.path), before));
    }
  });
});

/** Every file of a store with its content, but what is left for undoing and what is compared by lines. */
function storeOf(root: string): [string, string][] {
  const store = join(root, '.hg', 'store');
  return readdirSync(store, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => path.slice(store.length + 1))
    .filter((name) => !/^(undo|fncache$|phaseroots$)/.test(name))
    .sort()
    .map((name) => [name, readFileSync(join(store, name)).toString('latin1')]);
}

function linesOf(root: string, name: string): string[] {
  try {
    return readFileSync(join(root, '.hg', 'store', name), 'latin1')
      .split('\n')
      .sort();
  } catch {
    return [];
  }
}

/** Paths, modes and contents of a working copy. */
function workingCopyOf(root: string): string[] {
  const found: string[] = [];
  const visit = (folder: Buffer, prefix: string) => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const shown = `${prefix}${name.toString('latin1')}`;
      if (shown === '.hg') continue;
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const stat = lstatSync(path);
      if (stat.isDirectory()) visit(path, `${shown}/`);
      else if (stat.isSymbolicLink()) found.push(`${shown} -> ${readlinkSync(path, { encoding: 'latin1' })}`);
      else found.push(`${shown} ${stat.mode.toString(8)} ${readFileSync(path).toString('latin1')}`);
    }
  };
  visit(Buffer.from(root), '');
  return found.sort();
}

async function assertVerified(root: string): Promise<void> {
  const { code, stdout, stderr } = await runHg(['-R', root, 'verify', '-q']);
  assert.equal(`${stdout.toString()}${stderr}`, '');
  assert.equal(code, 0);
}

async function run(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHg(args);
  assert.equal(code, 0, stderr);
  return stdout.toString();
}
