import { deepEqual, equal, throws } from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseBoolean, parseHgrc, readHgrc } from '../../../src/engine/store/hgrc';
import { temporaryFolder } from '../../fixtures/gitRepository';
import { hgEnvironment } from '../../fixtures/hgCommand';
import { spawnSync } from 'node:child_process';

/** What the real `hg config` says of a file: lines `section.item=value`, with line ends in values as `\n`. */
function hgConfig(path: string): { code: number | null; lines: string[] } {
  const run = spawnSync('hg', ['config'], {
    env: { ...hgEnvironment, HGRCPATH: path, EDITOR: undefined, VISUAL: undefined },
  });
  return {
    code: run.status,
    lines: run.stdout
      .toString()
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')
      .sort(),
  };
}

function flatten(path: string): string[] {
  return [...readHgrc(path)]
    .flatMap(([section, items]) =>
      [...items].map(([item, value]) => `${section}.${item}=${value.replaceAll('\n', '\\n')}`),
    )
    .sort();
}

const good = [
  '[paths]\ndefault = http://example.com/repo\n',
  '# c\n; c\n[a]\nx = 1  \ny=\n   eggs\n   more  \n\nz = p\n[b] trailing\nq : 1 = 2\nnovalue =\nnamed key = v\n%unset novalue\n[a]\n%unset y\n',
  '[a]\nx=1\n# comment\n   continued after a comment\n   # not a comment here\n',
  '[a]\r\nx = 1\r\n\ty\r\n',
  '[a]\nx = before\n%include other.rc\n[a]\nz = 1\n%include not-there.rc\n',
  'x=1\n[a.b]\nu=\n[paths]\ndefault:pushurl = ssh://x=y\n',
  '[a]\nx = 1\n[b]\ny = 2\n[a]\nx = 3\nw = a=b # no comment\n',
];
const bad = [
  '[a]\n  x = 1\n',
  '[a]\nfoo\n',
  '[a]\n=v\n',
  '[a\nx=1\n',
  '[a]\n%include\n',
  '[a]\n%foo bar\n',
  '[a]\nx = 1\n\n   y\n',
  '[b]\nx=1\n%unset x\n y\n',
];

describe('configuration files', () => {
  it('mean what hg takes them to mean', () => {
    using folder = temporaryFolder('hgrc');
    writeFileSync(join(folder.path, 'other.rc'), '[a]\nx = included\n[inc]\nfrom = other\n');
    const path = join(folder.path, 'rc');
    for (const text of good) {
      writeFileSync(path, text);
      deepEqual(flatten(path), hgConfig(path).lines, JSON.stringify(text));
    }
  });

  it('are refused where hg refuses them, with the line', () => {
    using folder = temporaryFolder('hgrc');
    const path = join(folder.path, 'rc');
    for (const text of bad) {
      writeFileSync(path, text);
      equal(hgConfig(path).code === 0, false, JSON.stringify(text));
      throws(() => readHgrc(path), { kind: 'corrupt', message: /^Line \d+ of / }, JSON.stringify(text));
    }
  });

  it('are empty where there is none', () => {
    using folder = temporaryFolder('hgrc');
    mkdirSync(join(folder.path, 'folder'));
    deepEqual(readHgrc(join(folder.path, 'none')), new Map());
    deepEqual(readHgrc(join(folder.path, 'folder')), new Map());
  });

  it('that include each other end with an error', () => {
    using folder = temporaryFolder('hgrc');
    writeFileSync(join(folder.path, 'a'), '%include b\n');
    writeFileSync(join(folder.path, 'b'), '%include a\n');
    throws(() => readHgrc(join(folder.path, 'a')), { kind: 'corrupt' });
  });

  it('can be given as text', () => {
    const included = parseHgrc('[a]\nx = 2\n');
    equal(
      parseHgrc('[a]\nx = 1\n%include f\n', 'hgrc', () => included)
        .get('a')
        ?.get('x'),
      '2',
    );
    deepEqual(['yes', 'True', 'ON', '1', 'no', 'Off', '0', 'perhaps', undefined].map(parseBoolean), [
      ...[true, true, true, true, false, false, false, undefined, undefined],
    ]);
  });
});
