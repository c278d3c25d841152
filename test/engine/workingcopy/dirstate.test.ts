import { deepEqual, equal, throws } from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { nullNode, type Node } from '../../../src/engine/revlog/node';
import { DirstateWriter, parseDirstate } from '../../../src/engine/workingcopy/dirstate';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText } from '../../fixtures/hgCommand';
import { repository } from '../../fixtures/repositories';

/** A clone with a file in every state that a dirstate knows. */
function everyState(path: string): string {
  hg(path, ['clone', '-q', repository('renames'), 'r']);
  const root = join(path, 'r');
  writeFileSync(join(root, 'added'), 'x');
  hg(root, ['add', 'added']);
  hg(root, ['copy', 'copied', 'copied again']);
  hg(root, ['remove', 'to/file5']);
  return root;
}

const stateOf = (root: string) => parseDirstate(readFileSync(join(root, '.hg', 'dirstate')));

describe('a dirstate', () => {
  it('is read as hg reads it', () => {
    using folder = temporaryFolder('dirstate');
    const root = everyState(folder.path);
    const { parents, entries } = stateOf(root);
    deepEqual(parents, [hgText(root, ['log', '-r', '.', '-T', '{node}']), nullNode]);
    const theirs = hgText(root, ['debugdirstate', '--no-dates'])
      .split('\n')
      .filter((line) => !line.startsWith('copy:'));
    const ours = entries.map(({ state, mode, size, path }) => {
      const bits = mode === 0 ? '  0' : (mode & 0o777).toString(8);
      return `${state} ${bits} ${String(size).padStart(10)} ${path}`;
    });
    const shape = (line: string) => line.replace(/ (set|unset) +/, ' ').replace(/\s+/g, ' ');
    deepEqual(ours.map(shape).sort(), theirs.map(shape).sort());
    equal(entries.find(({ path }) => path === 'copied again')?.copySource, 'copied');
  });

  it('is written so that hg sees nothing changed, and keeps times that can be trusted', () => {
    using folder = temporaryFolder('dirstate');
    hg(folder.path, ['clone', '-q', repository('modes'), 'r']);
    const root = join(folder.path, 'r');
    const before = stateOf(root);
    const old = Math.floor(Date.now() / 1000) - 100;
    hg(root, ['debugrebuilddirstate']);
    {
      using writer = new DirstateWriter(join(root, '.hg', 'dirstate'), before.parents);
      for (const { path, mode, size } of before.entries) {
        const name = Buffer.from(path, 'latin1');
        writer.addNormal(name, 0, name.length, mode, size, path === 'plain' ? old : Math.floor(Date.now() / 1000));
      }
      writer.commit();
    }
    const after = stateOf(root);
    deepEqual(after.parents, before.parents);
    for (const { path, mtime } of after.entries) equal(mtime, path === 'plain' ? old : -1);
    equal(hgText(root, ['status']), '');
    deepEqual(hgText(root, ['debugdirstate', '--no-dates']).split('\n').length, before.entries.length);
  });

  it('stays as it was when the writing is given up', () => {
    using folder = temporaryFolder('dirstate');
    const path = join(folder.path, 'dirstate');
    writeFileSync(path, 'before');
    {
      using writer = new DirstateWriter(path, [nullNode, nullNode]);
      writer.addNormal(Buffer.from('a'), 0, 1, 0o100644, 1, 1);
    }
    equal(readFileSync(path, 'utf8'), 'before');
    equal(existsSync(`${path}.new`), true);
  });

  it('of many files, of long names and of big ones is written through a small buffer', () => {
    using folder = temporaryFolder('dirstate');
    const path = join(folder.path, 'dirstate');
    const parents = ['12'.repeat(20), nullNode] as [Node, Node];
    const names = Array.from({ length: 20_000 }, (_, n) => `${'folder/'.repeat(n % 40)}file${n}`);
    {
      using writer = new DirstateWriter(path, parents);
      for (const [n, name] of names.entries())
        writer.addNormal(Buffer.from(name), 0, name.length, 0o100755, n === 7 ? 2 ** 31 + 5 : n, 1000);
      writer.commit();
    }
    const { entries } = parseDirstate(readFileSync(path));
    equal(entries.length, names.length);
    deepEqual(entries[7], { path: names[7], state: 'n', mode: 0o100755, size: 5, mtime: 1000, copySource: undefined });
    deepEqual(
      entries.map((entry) => entry.path),
      names,
    );
    equal(statSync(path).size, 40 + names.reduce((sum, name) => sum + 17 + name.length, 0));
  });

  it('is refused when it is cut short, or a length or letter lies', () => {
    const entry = Buffer.concat([
      Buffer.alloc(40, 1),
      Buffer.from('n\0\0\x81\xa4\0\0\0\x01\0\0\0\x01\0\0\0\x01a', 'latin1'),
    ]);
    equal(parseDirstate(entry).entries.length, 1);
    for (let length = 1; length < entry.length; length++) {
      if (length !== 40) throws(() => parseDirstate(entry.subarray(0, length)), { kind: 'corrupt' });
    }
    for (const [offset, byte] of [
      [40, 0x7a],
      [53, 0xff],
      [56, 2],
      [56, 0],
    ]) {
      const damaged = Buffer.from(entry);
      damaged[offset] = byte;
      throws(() => parseDirstate(damaged), { kind: 'corrupt', offset: 40 });
    }
    deepEqual(parseDirstate(new Uint8Array(0)), { parents: [nullNode, nullNode], entries: [] });
  });
});
