import { deepEqual, equal } from 'node:assert/strict';
import { Manifest } from '../../../src/engine/workingcopy/manifest';
import { findCaseCollisions, findObstacles, type Obstacle } from '../../../src/engine/workingcopy/obstacles';

const manifestOf = (paths: readonly string[]) => {
  const lines = paths.map((path) => Buffer.from(path).toString('latin1')).sort();
  return Manifest.parse(
    Buffer.from(lines.map((path) => `${path}\0${'ab'.repeat(20)}\n`).join(''), 'latin1'),
    'manifest',
  );
};
const shown = (obstacles: Obstacle[]) =>
  obstacles.map(({ path, other }) =>
    [other ?? '', path].map((name) => Buffer.from(name, 'latin1').toString()).join(' = '),
  );

describe('obstacles to a checkout', () => {
  const collisions: [string, string[], string[]][] = [
    ['two files', ['README', 'readme', 'other'], ['README = readme']],
    ['files in one folder', ['a/B', 'a/b', 'b/b'], ['a/B = a/b']],
    ['files in two folders that become one', ['A/x', 'a/X', 'a/y'], ['A/x = a/X']],
    ['a file and a folder', ['Lib', 'lib/x', 'z'], ['lib = Lib']],
    ['a folder deeper down and a file', ['a/Lib/b/c', 'a/lib'], ['a/Lib = a/lib']],
    ['accents in two forms', ['\u00e9', 'e\u0301'], ['e\u0301 = \u00e9']],
    ['letters beyond ASCII', ['ÄÖ', 'äö', 'Σ', 'ς'], ['ÄÖ = äö', 'Σ = ς']],
    ['three of a kind', ['AB', 'Ab', 'ab'], ['AB = Ab', 'AB = ab']],
    ['folders that become one without harm', ['A/x', 'a/y', 'a/z/w', 'a/Z/v'], []],
    ['nothing', ['a', 'b', 'c/d', 'c/e'], []],
  ];
  for (const [what, paths, expected] of collisions) {
    it(`where case does not count: ${what}`, () => deepEqual(shown(findCaseCollisions(manifestOf(paths))), expected));
  }

  it('are none where case counts and names are bytes', () => {
    deepEqual(
      findObstacles(manifestOf(['README', 'readme', 'con', 'a:b', 'x.']), {
        platform: 'linux',
        caseInsensitive: false,
      }),
      [],
    );
  });

  it('are names that Windows keeps for itself, or does not allow', () => {
    const reserved = ['con', 'CON', 'aux.txt', 'a/nul/b', 'com1', 'LPT9.x.y'];
    const characters = ['a:b', 'a?', 'b*', 'c|d', 'e<f', 'g>h', 'i"j', 'k\\l', 'm.', 'n ', 'o./p', 'q\x01', 'r\x1f'];
    const fine = ['com0', 'lpt10', 'console', 'aux1', '.con', 'a.con', 'q\x7f', 'é'];
    const found = findObstacles(manifestOf([...reserved, ...characters, ...fine]), {
      platform: 'win32',
      caseInsensitive: false,
    });
    const of = (kind: string) => found.filter((obstacle) => obstacle.kind === kind).map(({ path }) => path);
    deepEqual(of('reserved'), reserved.sort());
    deepEqual(of('characters'), characters.sort());
  });

  it('are names on macOS that are no UTF-8', () => {
    const manifest = Manifest.parse(
      Buffer.from(`a\xe9\0${'ab'.repeat(20)}\n\xc3\xa9\0${'ab'.repeat(20)}\n`, 'latin1'),
      'manifest',
    );
    deepEqual(findObstacles(manifest, { platform: 'darwin', caseInsensitive: false }), [
      { path: 'a\xe9', kind: 'characters' },
    ]);
  });

  it('are counted up to a limit, and found quickly among many', () => {
    const paths = Array.from(
      { length: 100_000 },
      (_, n) => `folder${n % 100}/${n % 2 === 0 ? 'F' : 'f'}ile${n >> 1}_${n % 100}`,
    );
    const manifest = manifestOf(paths);
    const start = performance.now();
    deepEqual(findCaseCollisions(manifest), []);
    equal(performance.now() - start < 3000, true);
    const clashing = manifestOf(Array.from({ length: 500 }, (_, n) => [`A${n}`, `a${n}`]).flat());
    equal(findCaseCollisions(clashing, 10).length, 10);
  });
});
