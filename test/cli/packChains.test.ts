import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PackEntrySummary, PackSummary } from '../../src/engine/pack/packSummary';
import { fastImport, git, gitLines, initRepository, temporaryFolder } from '../fixtures/gitRepository';
import { sourceHistory } from '../fixtures/sourceHistory';
import { UnpackProgram } from '../fixtures/unpackProgram';

describe('printing the chains of a pack', () => {
  const folder = temporaryFolder();
  let program: UnpackProgram;
  let pack: string;
  let expected: string[];
  before(async () => {
    program = await UnpackProgram.build();
    const repository = initRepository(join(folder.path, 'source.git'));
    await fastImport(repository, sourceHistory({ commits: 60, files: 30 }));
    git(repository, ['repack', '-adfq']);
    const packs = join(repository, 'objects/pack');
    pack = join(
      packs,
      readdirSync(packs).find((name) => name.endsWith('.pack'))!,
    );
    expected = gitLines(repository, ['verify-pack', '-v', pack]).slice(0, -1);
  });
  after(() => {
    program[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('gives the lines of git verify-pack', async () => {
    const run = await program.chains(['--pack', pack]);
    assert.deepEqual(run.stdout.trimEnd().split('\n'), expected);
  });

  it('gives all entries as JSON', async () => {
    const run = await program.chains(['--pack', pack, '--json']);
    const { summary, entries } = JSON.parse(run.stdout) as { summary: PackSummary; entries: PackEntrySummary[] };
    const lines = expected.filter((line) => /^[0-9a-f]{40}/.test(line)).map((line) => line.split(/ +/));
    assert.deepEqual(
      entries.map(({ name, kind, packedSize, offset }) => [name, kind, packedSize, offset]),
      lines.map(([name, kind, , packedSize, offset]) => [name, kind, Number(packedSize), Number(offset)]),
    );
    assert.equal(summary.objects, entries.length);
  });

  it('sums up, for people and as JSON', async () => {
    const people = await program.chains(['--pack', pack, '--summary']);
    assert.match(people.stdout, /deltas by offset/);
    assert.match(people.stdout, /deepest:\n {2}[0-9a-f]{40}/);
    const json = await program.chains(['--pack', pack, '--summary', '--json']);
    const summary = JSON.parse(json.stdout) as PackSummary;
    const whole = /non delta: (\d+)/.exec(expected.join('\n'))?.[1];
    assert.equal(summary.whole, Number(whole));
  });

  it('says what is wrong with a file that is no pack', async () => {
    const run = await program.chains(['--pack', __filename]);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /"kind":"corrupt"/);
  });
});
