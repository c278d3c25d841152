import assert from 'node:assert/strict';
import {
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import type { IncomingFile } from '../../../src/engine/exchange/incomingFiles';
import { EngineError } from '../../../src/engine/io/errors';
import { unattended } from '../../../src/engine/io/operation';
import { nullNode, type Node } from '../../../src/engine/revlog/node';
import { defaultWireSettings } from '../../../src/engine/wire/wireSettings';
import { BusyRepository } from '../../fixtures/busyRepository';
import { builtEngine } from '../../fixtures/engine';
import { HgServer, temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg } from '../../fixtures/hgCommand';
import { HgCommandServer } from '../../fixtures/hgCommandServer';

describe('the files of incoming changesets', function () {
  this.timeout(120_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let busy: BusyRepository;
  let clone: string;
  let theirs: HgCommandServer;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('incoming-files');
    busy = new BusyRepository(join(folder.path, 'busy'), 29);
    busy.work();
    clone = join(folder.path, 'clone');
    hg(folder.path, ['clone', '-q', '-U', busy.root, clone]);
    for (let round = 0; round < 5; round++) busy.work();
    theirs = await HgCommandServer.start(busy.root);
  });
  after(async () => {
    await theirs.stop();
    await engine.dispose();
    await folder.remove();
  });

  const settings = defaultWireSettings;

  it('and their texts are those that hg has where they come from, before and after a pull', async () => {
    await using server = await HgServer.start(busy.root);
    const bundle = join(folder.path, 'v1.hg');
    hg(busy.root, ['bundle', '-q', '--all', '-t', 'gzip-v1', bundle]);
    const lines: string[][] = [];
    for (const [at, source] of [server.url, bundle].entries()) {
      const keepIn = join(folder.path, `kept${at}`);
      const { changesets } = await engine.incoming({ root: clone, source, settings, keepIn }, unattended);
      assert.ok(changesets.length > 5);
      const about = { root: clone, folder: keepIn };
      const seen: string[] = [];
      for (const { node, parents } of changesets) {
        const parent = parents.at(0) ?? nullNode;
        const files = await engine.listIncomingFiles({ ...about, node, parent }, unattended);
        seen.push(node, ...files.map(lineOf));
        for (const [revision, side] of [
          [node, 'after'],
          [parent, 'before'],
        ] as const) {
          for (const file of files) await compare(about, file, revision, file[side]);
        }
      }
      lines.push(seen);
    }
    assert.deepEqual(lines[0], lines[1]);
    assert.deepEqual(lines[0], await statusOf(lines[0].filter((line) => line.length === 40)));

    // What is pulled is read from the store.
    const about = { root: clone, folder: join(folder.path, 'kept0') };
    await engine.pull({ root: clone, source: server.url, settings }, unattended);
    rmSync(about.folder, { recursive: true });
    const [node, parent] = (await said('log', '-r', 'tip + p1(tip)', '-T', '{node}\n')).split('\n') as Node[];
    const files = await engine.listIncomingFiles({ ...about, node, parent }, unattended);
    assert.ok(files.length > 0);
    for (const file of files) await compare(about, file, node, file.after);
  });

  const compare = async (about: { root: string; folder: string }, file: IncomingFile, revision: Node, node: Node) => {
    if (node === nullNode) return;
    const path = Buffer.from(file.path, 'latin1').toString();
    const { bytes, size } = await engine.readIncomingText({ ...about, path: file.path, node }, unattended);
    const said = await theirs.run('cat', '-r', revision, `path:${path}`);
    assert.deepEqual([size, Buffer.from(bytes).equals(said)], [said.length, true], path);
    const cut = await engine.readIncomingText({ ...about, path: file.path, node, limit: 3 }, unattended);
    assert.deepEqual([cut.bytes.length, cut.size], [Math.min(3, size), size]);
  };

  const said = async (...args: string[]) => (await theirs.run(...args)).toString().replace(/\n$/, '');

  /** What hg says of the same changesets, in our words. */
  const statusOf = async (nodes: readonly string[]) => {
    const lines: string[] = [];
    for (const node of nodes) {
      const named = new Set((await said('log', '-r', node, '-T', '{join(files, "\n")}')).split('\n'));
      const status = (await said('status', '--change', node)).split('\n').filter((line) => named.has(line.slice(2)));
      lines.push(node, ...status.sort((one, other) => (one.slice(2) < other.slice(2) ? -1 : 1)));
    }
    return lines;
  };

  it('that were kept and are damaged are not taken for something else', async () => {
    const clean = join(folder.path, 'empty');
    hg(folder.path, ['init', clean]);
    const bundle = join(folder.path, 'all.hg');
    hg(busy.root, ['bundle', '-q', '--all', '-t', 'none-v2', bundle]);
    const keepIn = join(folder.path, 'damaged');
    const { changesets } = await engine.incoming({ root: clean, source: bundle, settings, keepIn }, unattended);
    const { node, parents } = changesets[changesets.length - 1];
    const request = { root: clean, folder: keepIn, node, parent: parents[0] };
    const right = await engine.listIncomingFiles(request, unattended);
    const whole = new Map(
      ['deltas', 'index', 'histories.json'].map((name) => [name, readFileSync(join(keepIn, name))]),
    );
    let refused = 0;
    for (let round = 0; round < 60; round++) {
      const [name, bytes] = [...whole][round % 3];
      const path = join(keepIn, name);
      if (round % 2 === 0) truncateSync(path, Math.floor((bytes.length * round) / 60));
      else {
        const file = openSync(path, 'r+');
        const at = (round * 7919) % bytes.length;
        writeSync(file, Buffer.of(bytes[at] ^ (1 << (round % 8))), 0, 1, at);
        closeSync(file);
      }
      try {
        assert.deepEqual(await engine.listIncomingFiles(request, unattended), right);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        assert.ok(
          error instanceof EngineError && ['corrupt', 'integrity', 'unsupported'].includes(error.kind),
          String(error),
        );
        refused++;
      }
      writeFileSync(path, bytes);
    }
    assert.ok(refused > 20, `${refused} refused`);
    assert.deepEqual(
      readdirSync(join(clean, '.hg', 'store')).filter((name) => name.startsWith('00')),
      [],
    );
  });
});

function lineOf({ path, change }: IncomingFile): string {
  const letter = { added: 'A', modified: 'M', removed: 'R' }[change];
  return `${letter} ${Buffer.from(path, 'latin1').toString()}`;
}
