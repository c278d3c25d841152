import { deepEqual, equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { repository } from '../fixtures/repositories';

describe('deltascope serve', () => {
  const root = repository('branches');
  let program: DeltascopeProgram;
  before(async () => {
    program = await DeltascopeProgram.build();
  });
  after(() => {
    program[Symbol.dispose]();
  });

  it('ends at once where its port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening));
    const { port } = taken.address() as AddressInfo;
    try {
      const run = program.run('serve', '-p', String(port), root);
      deepEqual([run.code, run.stdout], [1, '']);
      match(run.stderr, /^destination: .*it is in use\.\nChoose another port/);
    } finally {
      taken.close();
    }
  });

  it('says what it lacks, and what contradicts itself', () => {
    for (const [options, words] of [
      [['--user', 'ann'], /DELTASCOPE_PASSWORD/],
      [['--user', 'ann', '--token', 'secret'], /cannot be used with option/],
      [['--engines', 'nonsense'], /choose among .*zlib, none/],
    ] as const) {
      const run = program.run('serve', '-p', '0', ...options, root);
      deepEqual([run.code, run.stdout], [1, ''], run.stderr);
      match(run.stderr, words);
    }
  });
});

describe('deltascope', () => {
  it('ends without a word when nobody reads on', async () => {
    using program = await DeltascopeProgram.build();
    const index = repository('branches');
    const call = `"${process.execPath}" "${program.script}" chains --json "${index}" | head -c 1; echo " \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', call], { encoding: 'utf8' });
    match(stdout, /^\S 0\n$/);
    equal(stderr, '');
  });
});
