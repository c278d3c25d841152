import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineMark } from '../../../src/engine/store/locks';
import { Staging } from '../../../src/engine/store/staging';
import { temporaryFolder } from '../../fixtures/gitRepository';

function build(staging: Staging): void {
  mkdirSync(join(staging.path, '.hg'));
  writeFileSync(join(staging.path, '.hg', 'requires'), 'revlogv1\n');
  writeFileSync(join(staging.path, 'file'), 'content');
}

describe('building beside a destination', () => {
  for (const [kind, prepare] of [
    ['that is not there', () => undefined],
    ['that is an empty folder', (path: string) => mkdirSync(path)],
  ] as const) {
    it(`puts the whole in place at once, at one ${kind}`, async () => {
      using folder = temporaryFolder('staging');
      const destination = join(folder.path, 'clone');
      prepare(destination);
      const staging = await Staging.beside(destination);
      build(staging);
      ok(!existsSync(join(destination, '.hg')));
      staging.commit([join('.hg', 'requires')]);
      await staging.discard();
      deepEqual(readdirSync(folder.path), ['clone']);
      equal(readFileSync(join(destination, 'file'), 'utf8'), 'content');
    });
  }

  it('leaves nothing when it is discarded, not even the folders above', async () => {
    using folder = temporaryFolder('staging');
    const staging = await Staging.beside(join(folder.path, 'a', 'b', 'clone'));
    build(staging);
    await staging.discard();
    await staging.discard();
    deepEqual(readdirSync(folder.path), []);
  });

  it('keeps a folder above that somebody else has used meanwhile', async () => {
    using folder = temporaryFolder('staging');
    const staging = await Staging.beside(join(folder.path, 'a', 'b', 'clone'));
    writeFileSync(join(folder.path, 'a', 'theirs'), '');
    await staging.discard();
    deepEqual(readdirSync(join(folder.path, 'a')), ['theirs']);
  });

  it('follows a link to an empty folder', async () => {
    using folder = temporaryFolder('staging');
    mkdirSync(join(folder.path, 'real'));
    symlinkSync('real', join(folder.path, 'link'));
    const staging = await Staging.beside(join(folder.path, 'link'));
    build(staging);
    staging.commit();
    deepEqual(readdirSync(folder.path), ['link', 'real']);
    deepEqual(readdirSync(join(folder.path, 'real')), ['.hg', 'file']);
  });

  it('refuses a destination that is taken, and touches nothing', async () => {
    using folder = temporaryFolder('staging');
    mkdirSync(join(folder.path, 'full'));
    writeFileSync(join(folder.path, 'full', 'theirs'), '');
    writeFileSync(join(folder.path, 'file'), '');
    symlinkSync('nowhere', join(folder.path, 'dangling'));
    for (const [name, words] of [
      ['full', /is not empty/],
      ['file', /is a file/],
      ['file/below', /file, not a folder/],
      ['dangling', /leads nowhere/],
    ] as const) {
      await rejects(Staging.beside(join(folder.path, name)), { kind: 'destination', message: words });
    }
    deepEqual(readdirSync(folder.path), ['dangling', 'file', 'full']);
  });

  it('does not overwrite what has come into the destination meanwhile', async () => {
    using folder = temporaryFolder('staging');
    const destination = join(folder.path, 'clone');
    const staging = await Staging.beside(destination);
    build(staging);
    mkdirSync(destination);
    writeFileSync(join(destination, 'theirs'), '');
    throws(() => staging.commit(), { kind: 'destination' });
    await staging.discard();
    deepEqual(readdirSync(folder.path), ['clone']);
    deepEqual(readdirSync(destination), ['theirs']);
  });

  it('removes what a killed process of this machine left, and nothing else', async () => {
    using folder = temporaryFolder('staging');
    const dead = spawnSync('true').pid;
    const gone = `.x.deltascope-${machineMark()}-${dead}-abc`;
    const kept = [
      `.x.deltascope-${machineMark()}-${process.pid}-abc`,
      `.x.deltascope-00000000-${dead}-abc`,
      `.x.deltascope-${machineMark()}-${dead}-abc.txt`,
      'other',
    ];
    for (const name of [gone, ...kept]) {
      mkdirSync(join(folder.path, name));
      writeFileSync(join(folder.path, name, 'file'), '');
    }
    const staging = await Staging.beside(join(folder.path, 'clone'));
    match(staging.path, new RegExp(`\\.clone\\.deltascope-${machineMark()}-${process.pid}-`));
    await staging.discard();
    deepEqual(readdirSync(folder.path).sort(), kept.sort());
  });

  it('can be done inside a folder that must stay, and empties it again when it fails', async () => {
    using folder = temporaryFolder('staging');
    mkdirSync(join(folder.path, `.deltascope-${machineMark()}-${spawnSync('true').pid}-abc`));
    const failed = await Staging.inside(folder.path);
    build(failed);
    equal(existsSync(join(folder.path, '.hg')), false);
    writeFileSync(join(folder.path, 'theirs'), '');
    throws(() => failed.commit(), { kind: 'destination', message: /is not empty/ });
    await failed.discard();
    deepEqual(readdirSync(folder.path), ['theirs']);
    await rejects(Staging.inside(folder.path), { kind: 'destination' });
    rmSync(join(folder.path, 'theirs'));
    const staging = await Staging.inside(folder.path);
    build(staging);
    staging.commit([join('.hg', 'requires')]);
    deepEqual(readdirSync(folder.path), ['.hg', 'file']);
  });

  it('takes names of any length and form', async () => {
    using folder = temporaryFolder('staging');
    for (const name of ['x'.repeat(255), 'é'.repeat(127), ' ', 'a\nb', '-rf']) {
      const staging = await Staging.beside(join(folder.path, name));
      build(staging);
      staging.commit();
      ok(existsSync(join(folder.path, name, '.hg')), name);
    }
  });
});
