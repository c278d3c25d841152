import { deepEqual, equal, match } from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WrittenBundle } from '../../src/engine/server/writeBundle';
import type { WrittenCloneBundles } from '../../src/engine/server/writeCloneBundles';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { temporaryFolder } from '../fixtures/gitRepository';
import { hgText } from '../fixtures/hgCommand';
import { repository } from '../fixtures/repositories';

describe('deltascope bundle', () => {
  const folder = temporaryFolder('bundle-cli');
  const root = repository('branches');
  let program: DeltascopeProgram;
  before(async () => {
    program = await DeltascopeProgram.build();
  });
  after(() => {
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('writes what is asked for, and says what it was', () => {
    const file = join(folder.path, 'some.hg');
    const run = program.run('bundle', '-t', 'gzip-v1', '-r', 'v1.0', '--base', '0', '--json', root, file);
    equal(run.code, 0, run.stderr);
    const written = JSON.parse(run.stdout) as WrittenBundle;
    deepEqual(
      [written.format, written.changesets],
      ['changegroup 01', Number(hgText(root, ['id', '-n', '-r', 'v1.0']))],
    );
    equal(hgText(root, ['debugbundle', '--spec', file]), 'gzip-v1');
  });

  for (const [short, whole] of [
    ['gzip', 'gzip-v2'],
    ['v2', 'gzip-v2'],
    ['v1', 'gzip-v1'],
    ['none', 'none-v2'],
  ]) {
    it(`takes ${short} for ${whole}`, () => {
      const file = join(folder.path, `${short}.hg`);
      const run = program.run('bundle', '-t', short, root, file);
      equal(run.code, 0, run.stderr);
      equal(hgText(root, ['debugbundle', '--spec', file]), whole);
    });
  }

  it('says what cannot be, with a code of its own', () => {
    const file = join(folder.path, 'never.hg');
    mkdirSync(join(folder.path, 'taken'));
    for (const [args, words] of [
      [['-t', 'bzip2-v2', root, file], /^unsupported: .*bzip2.*\n.*zlib/],
      [['-t', 'nonsense', root, file], /^protocol: nonsense does not say .*\nA kind is .* gzip-v2/],
      [['-t', 'gzip-v2', root, join(folder.path, 'taken')], /destination: .*there is a folder of that name/],
    ] as const) {
      const run = program.run('bundle', ...args);
      equal(run.code, 1);
      match(run.stderr, words);
      equal(existsSync(file), false);
    }
  });

  it('writes bundles for those who clone', () => {
    const at = join(folder.path, 'for clones');
    const run = program.run('clone-bundles', '--base-url', 'https://files.example/here', '--json', root, at);
    equal(run.code, 0, run.stderr);
    const { bundles, text } = JSON.parse(run.stdout) as WrittenCloneBundles;
    deepEqual(
      bundles.map(({ file }) => existsSync(file)),
      [true, true],
    );
    match(
      text,
      /^https:\/\/files\.example\/here\/stream\.hg BUNDLESPEC=none-v2;stream%3Dv2\nhttps:.* BUNDLESPEC=(?:gzip|zstd)-v2\n$/,
    );
    equal(existsSync(join(root, '.hg', 'clonebundles.manifest')), false);
  });
});
