import { deepEqual, equal, throws } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdReady } from '../../../src/engine/compression/block';
import { openRevlog } from '../../../src/engine/store/openRevlog';
import { locateRepository } from '../../../src/engine/store/repositoryFolders';
import { readTags } from '../../../src/engine/workingcopy/readTags';
import { resolveRevision } from '../../../src/engine/workingcopy/resolveRevision';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hg, hgText, tryHg } from '../../fixtures/hgCommand';
import { repository } from '../../fixtures/repositories';

/** What hg checks out of a repository: number and branch of the changeset, and the active bookmark. */
function hgChoice(root: string, options: readonly string[]): string | undefined {
  using folder = temporaryFolder('resolve');
  const run = tryHg(folder.path, ['clone', '-q', '--pull', ...options, root, 'c']);
  if (run.code !== 0) return undefined;
  const clone = join(folder.path, 'c');
  return `${hgText(clone, ['identify', '-i', '--debug'])} ${hgText(clone, ['branch'])} ${hgText(clone, ['bookmarks', '-l', '-T', '{if(active, bookmark)}'])}`;
}

function ourChoice(root: string, wish: { revision?: string; branch?: string }): string | undefined {
  try {
    const found = resolveRevision(locateRepository(root), wish);
    if (found === undefined) return `${'0'.repeat(40)} default `;
    return Buffer.from(`${found.node} ${found.branch} ${found.bookmark ?? ''}`, 'latin1').toString();
  } catch (error) {
    equal((error as { kind?: string }).kind, 'unsupported');
    return undefined;
  }
}

/** Small histories in which the default is not simply the tip: each a list of what to do. */
const histories: Record<string, string[][]> = {
  'whose tip is on another branch': [['commit'], ['branch', 'other'], ['commit']],
  'whose default branch is closed': [['commit'], ['close'], ['branch', 'other'], ['commit']],
  'whose last head of default is closed, with an open one below': [
    ['commit'],
    ['commit'],
    ['update', '0'],
    ['commit'],
    ['close'],
  ],
  'whose heads of default are both closed': [
    ['commit'],
    ['commit'],
    ['close'],
    ['update', '0'],
    ['commit'],
    ['close'],
    ['branch', 'x'],
    ['commit'],
  ],
  'whose closed branch was opened again': [['commit'], ['close'], ['commit'], ['branch', 'x'], ['commit']],
  'whose open head of default goes on by way of another branch': [
    ...[['commit'], ['commit'], ['branch', 'via'], ['commit'], ['branch', '-f', 'default'], ['commit'], ['close']],
    ...[['update', '0'], ['branch', 'x'], ['commit']],
  ],
  'without a default branch': [['branch', 'dev'], ['commit'], ['commit']],
  'with the bookmark @': [['commit'], ['commit'], ['bookmark', '-r', '0', '@'], ['commit']],
  'with branch names of all kinds': [
    ['branch', 'ünï cödé'],
    ['commit'],
    ['branch', 'with\\and\\nbackslash'],
    ['commit'],
    ['branch', 'default2'],
    ['commit'],
  ],
};

function build(root: string, steps: readonly string[][]): void {
  let count = 0;
  for (const [verb, ...args] of steps) {
    if (verb === 'commit') {
      writeFileSync(join(root, `file${++count}`), `${count}\n`);
      hg(root, ['commit', '-qAm', `commit ${count}`, '-d', `${count} 0`]);
    } else if (verb === 'close') hg(root, ['commit', '-q', '--close-branch', '-m', 'close', '-d', `${++count} 0`]);
    else hg(root, [verb, '-q', ...args]);
  }
}

describe('the revision to check out', () => {
  before(() => zstdReady);

  for (const [what, steps] of Object.entries(histories)) {
    it(`of a history ${what} is the one that hg takes, with and without the caches`, () => {
      using folder = temporaryFolder('resolve');
      hg(folder.path, ['init', 'r']);
      const root = join(folder.path, 'r');
      build(root, steps);
      const expected = hgChoice(root, []);
      equal(ourChoice(root, {}), expected);
      hg(root, ['debugupdatecaches']);
      equal(ourChoice(root, {}), expected);
      const branches = hgText(root, ['branches', '--closed', '-T', '{branch}\n']).split('\n');
      for (const branch of branches) {
        equal(ourChoice(root, { revision: branch }), hgChoice(root, ['-u', branch]), branch);
        equal(ourChoice(root, { branch }), hgChoice(root, ['-u', branch]), branch);
      }
    });
  }

  it('is none in an empty repository, or where none is wanted', () => {
    equal(resolveRevision(locateRepository(repository('empty'))), undefined);
    equal(resolveRevision(locateRepository(repository('branches')), { revision: 'null' }), undefined);
    equal(resolveRevision(locateRepository(repository('branches')), { revision: '0'.repeat(40) }), undefined);
  });

  it('is not at a bookmark or tag whose changeset is not there', () => {
    using folder = temporaryFolder('resolve');
    hg(folder.path, ['clone', '-q', '-U', repository('draft'), 'r']);
    const root = join(folder.path, 'r');
    writeFileSync(join(root, '.hg', 'bookmarks'), `${'12'.repeat(20)} @\n${'0'.repeat(40)} null mark\n`);
    equal(ourChoice(root, {}), hgChoice(root, []));
    equal(ourChoice(root, { revision: '@' }), undefined);
    equal(ourChoice(root, { revision: 'null mark' }), undefined);
  });

  it('is found by everything that hg finds one by', () => {
    const root = repository('branches');
    const nodes = hgText(root, ['log', '-r', 'all()', '-T', '{node}\n']).split('\n');
    const wishes = [
      ...['tip', '0', '7', '-1', '-3', 'v1.0', 'a tag with spaces', 'stable', 'closed', 'fé ature/ünïcode'],
      ...['bookmark é', 'side/bookmark', nodes[3], nodes[5].slice(0, 12), nodes[9].slice(0, 6)],
      ...['no such thing', '99', '-99', 'f'.repeat(40), 'g', '', 'e'.repeat(39), '1.5', ' 1'],
    ];
    for (const wish of wishes) {
      const theirs = wish === '' ? undefined : hgChoice(root, [`-u${wish}`]);
      equal(ourChoice(root, { revision: wish }), theirs, JSON.stringify(wish));
    }
  });

  it('is not one of several that begin alike', () => {
    using folder = temporaryFolder('resolve');
    hg(folder.path, ['init', 'r']);
    const root = join(folder.path, 'r');
    hg(root, ['debugbuilddag', '+60']);
    const nodes = hgText(root, ['log', '-r', 'all()', '-T', '{node}\n']).split('\n');
    const first = nodes
      .map((node) => node[0])
      .find((digit, at, all) => /[a-f]/.test(digit) && all.indexOf(digit) !== at);
    if (first === undefined) throw new Error('no two nodes begin alike');
    throws(() => resolveRevision(locateRepository(root), { revision: first }), {
      kind: 'unsupported',
      message: /More than one/,
    });
  });

  it('is not mistaken when the cache of branches lies or is damaged', () => {
    using folder = temporaryFolder('resolve');
    hg(folder.path, ['clone', '-q', '-U', repository('branches'), 'r']);
    const root = join(folder.path, 'r');
    hg(root, ['debugupdatecaches']);
    const expected = ['default', 'stable', 'closed'].map((branch) => ourChoice(root, { branch }));
    const path = join(root, '.hg', 'cache', 'rbc-revs-v1');
    const records = readFileSync(path);
    const damages: ((copy: Buffer) => Buffer)[] = [
      (copy) => copy.subarray(0, 17),
      (copy) => copy.fill(0xff),
      (copy) => {
        for (let at = 0; at < copy.length; at += 8) copy.writeUInt32BE(1, at + 4);
        return copy;
      },
    ];
    for (const damage of damages.slice(0, 2)) {
      writeFileSync(path, damage(Buffer.from(records)));
      deepEqual(
        ['default', 'stable', 'closed'].map((branch) => ourChoice(root, { branch })),
        expected,
      );
    }
    writeFileSync(path, damages[2](Buffer.from(records)));
    equal(resolveRevision(locateRepository(root))?.branch, 'default');
  });

  it('may be named by a tag whose story differs from head to head', () => {
    using folder = temporaryFolder('tags');
    hg(folder.path, ['init', 'r']);
    const root = join(folder.path, 'r');
    build(root, [
      ['commit'],
      ['commit'],
      ['commit'],
      ['tag', '-r', '0', 'moved'],
      ['tag', '-r', '0', 'removed'],
      ['tag', '-r', '1', 'stays'],
    ]);
    hg(root, ['tag', '-r', '1', 'ünïcode tag']);
    const base = hgText(root, ['identify', '-n']);
    const tag = (...args: string[]) => hg(root, ['tag', '-q', '-f', ...args]);
    tag('-r', '1', 'moved');
    tag('--remove', 'removed');
    hg(root, ['update', '-q', base]);
    tag('-r', '2', 'only here');
    hg(root, ['update', '-q', base]);
    tag('-r', '2', 'moved');
    tag('-r', '0', 'moved');
    hg(root, ['update', '-q', base]);
    writeFileSync(join(root, '.hgtags'), `${readFileSync(join(root, '.hgtags'), 'utf8')}nonsense\n\n12 34\n`);
    hg(root, ['commit', '-qm', 'edited by hand']);
    const theirs = hgText(root, ['tags', '-T', '{tag}\t{node}\n'])
      .split('\n')
      .filter((line) => !line.startsWith('tip\t'));
    const ours = (): string[] => {
      using changelog = openRevlog(locateRepository(root), '00changelog.i');
      return [...readTags(locateRepository(root), changelog)].map(
        ([name, node]) => `${Buffer.from(name, 'latin1').toString()}\t${node}`,
      );
    };
    deepEqual(ours().sort(), theirs.sort());
    hg(root, ['debugupdatecaches']);
    deepEqual(ours().sort(), theirs.sort());
    const tagged = hgText(root, ['log', '-r', 'ünïcode tag', '-T', '{node}']).slice(-40);
    equal(resolveRevision(locateRepository(root), { revision: 'ünïcode tag' })?.node, tagged);
  });
});
