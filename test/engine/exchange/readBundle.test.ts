import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { BusyRepository } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';

const template = '{node}|{user}|{date|hgdate}|{branch}|{join(files, ";")}|{desc}\n';

describe('what a bundle file holds', function () {
  this.timeout(120_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let busy: BusyRepository;
  let logged: string[];
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('bundles');
    busy = new BusyRepository(join(folder.path, 'busy'), 31);
    for (let round = 0; round < 4; round++) busy.work();
    hg(busy.root, ['bookmark', '-q', '-i', '-f', '-r', 'tip', 'lesezeichen ü']);
    logged = hgText(busy.root, ['log', '-T', template]).split('\n');
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const make = (name: string, ...args: string[]) => {
    const path = join(folder.path, name);
    hg(busy.root, ['bundle', '-q', ...args, path]);
    return path;
  };
  const read = (path: string, repositories: string[] = []) => engine.readBundle({ path, repositories }, unattended);

  for (const [type, kind, compression] of [
    ['none-v1', 'HG10', 'none'],
    ['gzip-v1', 'HG10', 'zlib'],
    ['bzip2-v1', 'HG10', 'bzip2'],
    ['gzip-v2', 'HG20', 'zlib'],
    ['zstd-v2', 'HG20', 'zstd'],
  ]) {
    it(`of type ${type} is what hg put into it`, async () => {
      const path = make(`${type}.hg`, '--all', '-t', type);
      const contents = await read(path);
      assert.deepEqual([contents.kind, contents.compression, contents.bytes], [kind, compression, statSync(path).size]);
      assert.deepEqual([contents.fault, contents.unreadable], [undefined, []]);
      const lines = logged.map((line) =>
        line.replace(/\|([^|]*)\|([^|]*)$/, (_all, files: string, words: string) => {
          return `|${files === '' ? 0 : files.split(';').length}|${words}`;
        }),
      );
      assert.deepEqual(
        contents.changesets.map(
          ({ node, user, date, branch, files, description }) =>
            `${node}|${user}|${date.seconds} ${date.offset}|${branch}|${files}|${description}`,
        ),
        lines,
      );
      assert.ok(contents.history);
      const { changesets, files, fileRevisions, largest } = contents.history;
      assert.equal(changesets, logged.length);
      const tracked =
        hgText(busy.root, ['debugrebuildfncache']) && readFileSync(join(busy.root, '.hg/store/fncache'), 'latin1');
      assert.equal(files, tracked.split('\n').filter((name) => name.endsWith('.i')).length);
      assert.ok(fileRevisions >= files && largest.length === files);
      const said = hgText(folder.path, ['debugbundle', path]);
      const parts = [...said.matchAll(/^([a-z][a-z:0-9-]+) -- /gm)].map(([, name]) => name);
      if (kind === 'HG20')
        assert.deepEqual(
          contents.parts.map((part) => part.type),
          parts,
        );
      assert.ok(contents.parts.every(({ bytes }) => bytes > 0));
    });
  }

  it('has phases where it was made with them', async () => {
    const config = ['--config', 'experimental.bundle-phases=yes'];
    const { changesets } = await read(make('phases.hg', '--all', '-t', 'none-v2', ...config));
    const phases = hgText(busy.root, ['log', '-T', '{node} {phase}\n']).split('\n');
    assert.deepEqual(
      changesets.map(({ node, phase }) => `${node} ${['public', 'draft', 'secret'][phase ?? -1]}`),
      phases,
    );
    assert.equal((await read(make('without.hg', '--all', '-t', 'none-v2'))).changesets[0].phase, undefined);
  });

  it('is read as far as it goes without what it builds on, and whole with it', async () => {
    for (const type of ['none-v1', 'zstd-v2']) {
      const path = make(`base-${type}.hg`, '--base', '1', '-t', type, '-r', 'tip');
      const expected = hgText(busy.root, ['log', '-r', 'reverse(::tip - ::1)', '-T', '{node} ']).trim().split(' ');
      const whole = await read(path, [folder.path, busy.root]);
      assert.deepEqual(
        whole.changesets.map(({ node }) => node as string),
        expected,
      );
      assert.deepEqual(whole.unreadable, []);
      const alone = await read(path);
      assert.equal(alone.fault, undefined);
      assert.deepEqual([...alone.changesets.map(({ node }) => node), ...alone.unreadable].sort(), [...expected].sort());
    }
  });

  it('may be a stream, of either version', async () => {
    const bundle2 = await read(make('stream.hg', '--all', '-t', 'none-v2;stream=v2'));
    assert.deepEqual(
      bundle2.parts.map(({ type }) => type),
      ['stream2'],
    );
    assert.ok((bundle2.stream?.files ?? 0) > 5 && bundle2.stream?.requirements.includes('generaldelta'));
    const legacy = join(folder.path, 'legacy.hg');
    hg(busy.root, ['debugcreatestreamclonebundle', legacy]);
    const { kind, stream, parts } = await read(legacy);
    assert.equal(kind, 'HGS1');
    assert.ok(stream !== undefined && stream.files > 5 && parts[0].bytes > stream.bytes);
  });

  it('may be damaged: told with what came before, or refused, never taken for something else', async () => {
    const path = make('whole.hg', '--all', '-t', 'none-v2');
    const bytes = readFileSync(path);
    const { changesets } = await read(path);
    const right = new Map(changesets.map((changeset) => [changeset.node, JSON.stringify(changeset)]));
    const damaged = join(folder.path, 'damaged.hg');
    let told = 0;
    let refused = 0;
    for (let round = 0; round < 120; round++) {
      const at = Math.floor((bytes.length * round) / 120);
      const copy = Buffer.from(bytes);
      copy[at] ^= 1 << (round % 8);
      writeFileSync(damaged, round % 2 === 0 ? bytes.subarray(0, at) : copy);
      try {
        const contents = await read(damaged);
        for (const changeset of contents.changesets) assert.equal(JSON.stringify(changeset), right.get(changeset.node));
        if (contents.fault !== undefined) told++;
        assert.ok(round % 2 === 1 || contents.fault !== undefined, `cut at ${at}`);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        assert.ok(['corrupt', 'protocol', 'unsupported'].includes(error.kind), `${at}: ${error.kind}`);
        refused++;
      }
    }
    assert.ok(told > 50 && refused > 0, `${told} told, ${refused} refused`);
  });

  it('is none where the file is something else', async () => {
    const path = join(folder.path, 'text.hg');
    writeFileSync(path, 'just a text\n');
    await assert.rejects(read(path), { kind: 'protocol' });
    writeFileSync(path, '');
    await assert.rejects(read(path), { kind: 'corrupt' });
  });
});
