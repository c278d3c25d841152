import { doesNotThrow, throws } from 'node:assert/strict';
import { Manifest } from '../../../src/engine/workingcopy/manifest';
import { auditManifest, checkPath } from '../../../src/engine/workingcopy/pathAudit';
import { nastyFileNames } from '../../fixtures/nastyFileNames';

const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const manifestOf = (files: Record<string, string>) =>
  Manifest.parse(
    Buffer.from(
      Object.keys(files)
        .sort()
        .map((path) => `${path}\0${'ab'.repeat(20)}${files[path]}\n`)
        .join(''),
      'latin1',
    ),
    'manifest',
  );

describe('the audit of paths', () => {
  for (const path of nastyFileNames.concat([
    '.hgtags',
    '.hgignore',
    'a/.hgsub',
    'hg~',
    'hg~a',
    'ahg~1',
    '.hgx/y',
    'hg',
    'x.hg/y',
    'CON',
    'a~1',
  ])) {
    it(`lets ${JSON.stringify(path.slice(0, 40))} pass`, () => doesNotThrow(() => checkPath(path)));
  }

  const outside = ['', '/', '/etc/passwd', '../x', 'a/../../x', 'a/..', './a', 'a/./b', 'a//b', 'a/', '.', '..'];
  const intoHg = [
    ...[
      '.hg',
      '.hg/hgrc',
      '.HG/hgrc',
      '.Hg/x',
      '.hG',
      'a/.hg/hgrc',
      'a/.HG',
      '.hg./hgrc',
      '.hg../x',
      '.hg /x',
      '.hg. ./x',
      '.HG. ',
    ],
    ...[
      'hg~1/hgrc',
      'HG~1/hgrc',
      'Hg~2',
      'hg~1.',
      'a/HG~12/x',
      '.hg::$INDEX_ALLOCATION/hgrc',
      '.hg:stream',
      '.hg\\hgrc',
      'a\\.hg\\hgrc',
    ],
    ...[
      '.h\u200cg/hgrc',
      '\u200c.hg/hgrc',
      '.hg\u200d/x',
      '.\ufeffhg',
      '.h\u202eG/x',
      '.\u206a\u206fHg./x',
      'a/.h\u200fg/b',
    ].map(latin1),
  ];
  for (const path of [...outside, ...intoHg]) {
    it(`refuses ${JSON.stringify(path)}`, () => throws(() => checkPath(path), { kind: 'corrupt', subject: path }));
  }

  it('refuses a path through a symbolic link of the same changeset, however deep', () => {
    for (const [link, file] of [
      ['a', 'a/b'],
      ['a/b', 'a/b/c/d/e'],
      ['x y', 'x y/z'],
    ]) {
      throws(() => auditManifest(manifestOf({ [link]: 'l', [file]: '' })), { kind: 'corrupt', subject: file });
    }
    doesNotThrow(() => auditManifest(manifestOf({ a: 'l', 'a.b/c': '', 'ab/c': '', b: 'x', 'c/a/a': '', 'd/a': 'l' })));
  });

  it('looks at every path of a manifest', () => {
    throws(() => auditManifest(manifestOf({ a: '', 'b/.HG/x': '' })), { kind: 'corrupt', subject: 'b/.HG/x' });
  });
});
