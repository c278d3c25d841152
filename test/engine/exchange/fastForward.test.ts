import assert from 'node:assert/strict';
import { casesOf } from '../../fixtures/howMuch';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import type { FastForward } from '../../../src/engine/exchange/fastForward';
import { unattended } from '../../../src/engine/io/operation';
import type { Node } from '../../../src/engine/revlog/node';
import { builtEngine } from '../../fixtures/engine';
import { temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hg, hgText } from '../../fixtures/hgCommand';

describe('going forward', function () {
  this.timeout(120_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  let origin: string;
  let number = 0;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('forward');
    origin = join(folder.path, 'origin');
    hg(folder.path, ['init', origin]);
    mkdirSync(join(origin, 'folder', 'deep'), { recursive: true });
    for (const name of ['same', 'changes', 'goes', 'runs', 'folder/deep/only', 'folder/stays', 'becomes']) {
      writeFileSync(join(origin, name), `first ${name}\n`);
    }
    symlinkSync('same', join(origin, 'link'));
    hg(origin, ['commit', '-qA', '-m', 'first']);
    appendFileSync(join(origin, 'changes'), 'more\n');
    for (const name of ['goes', 'folder/deep/only', 'link', 'becomes']) rmSync(join(origin, name));
    symlinkSync('folder/stays', join(origin, 'link'));
    mkdirSync(join(origin, 'becomes'));
    for (const name of ['becomes/a-folder', 'comes', 'ü']) writeFileSync(join(origin, name), `${name}\n`);
    chmodSync(join(origin, 'runs'), 0o755);
    hg(origin, ['addremove', '-q']);
    hg(origin, ['commit', '-q', '-m', 'second']);
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  /** A clone that has everything, with the first changeset checked out. */
  const clone = () => {
    const root = join(folder.path, `clone${number++}`);
    hg(folder.path, ['clone', '-q', '-u', '0', origin, root]);
    return root;
  };
  const find = (root: string) => engine.findFastForward(root, unattended);
  const reasonOf = (found: FastForward) =>
    'reason' in found ? `${found.reason} ${found.file ?? ''}`.trim() : 'forward';

  it('leaves what hg update leaves', async () => {
    const root = clone();
    const theirs = clone();
    const found = await find(root);
    assert.ok('to' in found);
    assert.equal(found.to, hgText(origin, ['log', '-r', 'tip', '-T', '{node}']));
    const { files } = await engine.fastForward({ root, to: found.to }, unattended);
    assert.equal(files, found.files);
    hg(theirs, ['update', '-q']);
    const look = (at: string) => [
      hgText(at, ['status']),
      hgText(at, ['id', '-i', '-b']),
      hgText(at, ['debugstate', '--no-dates']).replace(/ -1 (set|unset)/g, ' $1'),
      hgText(at, ['files'])
        .split('\n')
        .map((name) => readFileSync(join(at, name), 'utf8')),
    ];
    assert.deepEqual(look(root)[0], '');
    assert.deepEqual([look(root)[1], look(root)[3]], [look(theirs)[1], look(theirs)[3]]);
    assert.equal(existsSync(join(root, 'folder', 'deep')), false);
    assert.equal(existsSync(join(root, '.hg', 'updatestate')), false);
    hg(root, ['update', '-q', '0']);
    assert.equal(hgText(root, ['status']), '');
    hg(root, ['update', '-q', 'tip']);
    assert.equal(reasonOf(await find(root)), 'current');
  });

  it('is not offered, and changes nothing, where a person has changed something', async () => {
    const changes: [string, (root: string) => unknown][] = [
      ['changes same', (root) => appendFileSync(join(root, 'same'), 'mine\n')],
      ['changes changes', (root) => writeFileSync(join(root, 'changes'), 'First changes\n')],
      ['changes same', (root) => chmodSync(join(root, 'same'), 0o755)],
      ['changes same', (root) => rmSync(join(root, 'same'))],
      ['changes same', (root) => hg(root, ['remove', 'same'])],
      [
        'changes mine',
        (root) => {
          writeFileSync(join(root, 'mine'), '');
          hg(root, ['add', '-q', 'mine']);
        },
      ],
      ['changes comes', (root) => writeFileSync(join(root, 'comes'), 'mine\n')],
      [
        'changes link',
        (root) => {
          rmSync(join(root, 'link'));
          symlinkSync('elsewhere', join(root, 'link'));
        },
      ],
      ['changes', (root) => writeFileSync(join(root, '.hg', 'graftstate'), '')],
    ];
    const root = clone();
    const before = hgText(root, ['id', '-i']);
    const { to } = (await find(root)) as { to: Node };
    for (const [reason, change] of casesOf(changes, changes.slice(0, 3))) {
      change(root);
      assert.equal(reasonOf(await find(root)), reason);
      const status = hgText(root, ['status', '-C']);
      await assert.rejects(engine.fastForward({ root, to }, unattended), { kind: 'destination' });
      assert.equal(hgText(root, ['status', '-C']), status);
      rmSync(join(root, '.hg', 'graftstate'), { force: true });
      hg(root, ['update', '-q', '-C', '.']);
      hg(root, ['--config', 'extensions.purge=', 'purge', '-q']);
    }
    assert.equal(hgText(root, ['id', '-i']), before);
    // What only looks changed is compared.
    utimesSync(join(root, 'same'), 1, 1);
    writeFileSync(join(root, 'untracked'), 'mine\n');
    assert.equal(reasonOf(await find(root)), 'forward');
    await engine.fastForward({ root, to }, unattended);
    assert.equal(hgText(root, ['status']), '? untracked');
  });

  it('is not offered where there is more than one way, or none', async () => {
    const heads = clone();
    hg(heads, ['update', '-q', 'tip']);
    hg(heads, ['branch', '-q', 'other']);
    appendFileSync(join(heads, 'same'), 'other branch\n');
    hg(heads, ['commit', '-q', '-m', 'on another branch']);
    hg(heads, ['update', '-q', '0']);
    const found = await find(heads);
    assert.ok('to' in found);
    assert.equal(found.to, hgText(heads, ['log', '-r', '1', '-T', '{node}']));
    appendFileSync(join(heads, 'same'), 'another head\n');
    hg(heads, ['commit', '-q', '-m', 'another head']);
    assert.equal(reasonOf(await find(heads)), 'current');
    hg(heads, ['update', '-q', '0']);
    assert.equal(reasonOf(await find(heads)), 'heads');
    hg(heads, ['update', '-q', 'tip']);
    hg(heads, ['merge', '-q', '--tool', ':local', '1']);
    assert.equal(reasonOf(await find(heads)), 'changes');

    const rewritten = clone();
    const evolution = ['--config', 'experimental.evolution=all'];
    hg(rewritten, ['phase', '--force', '--draft', '-r', 'all()']);
    hg(rewritten, ['debugobsolete', ...evolution, hgText(rewritten, ['log', '-r', '1', '-T', '{node}'])]);
    assert.equal(reasonOf(await find(rewritten)), 'rewritten');

    const marked = clone();
    hg(marked, ['bookmark', '-q', '-r', '0', 'stays']);
    hg(marked, ['update', '-q', 'stays']);
    assert.equal(reasonOf(await find(marked)), 'heads');
    hg(marked, ['bookmark', '-q', '-f', '-r', '1', 'stays']);
    writeFileSync(join(marked, '.hg', 'bookmarks.current'), 'stays');
    assert.equal(reasonOf(await find(marked)), 'forward');

    const bare = join(folder.path, 'bare');
    hg(folder.path, ['clone', '-q', '-U', origin, bare]);
    assert.equal(reasonOf(await find(bare)), 'unsupported');
    const filtered = clone();
    appendFileSync(join(filtered, '.hg', 'hgrc'), '[extensions]\neol =\n');
    assert.equal(reasonOf(await find(filtered)), 'unsupported');
  });
});
