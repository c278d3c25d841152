import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../../src/engine/engine';
import { unattended } from '../../../src/engine/io/operation';
import { builtEngine } from '../../fixtures/engine';
import { temporaryDirectory, type TemporaryDirectory } from '../../fixtures/hg';
import { hgText, tryHg } from '../../fixtures/hgCommand';
import { repository, repositoryKinds } from '../../fixtures/repositories';
import { pseudoRandom } from '../../fixtures/sourceHistory';

describe('verify', function () {
  this.timeout(120_000);
  let engine: Engine;
  let folder: TemporaryDirectory;
  before(async () => {
    engine = builtEngine();
    folder = await temporaryDirectory('verify');
  });
  after(async () => {
    await engine.dispose();
    await folder.remove();
  });

  const copy = () => {
    const root = join(folder.path, 'damaged');
    rmSync(root, { recursive: true, force: true });
    cpSync(repository('branches'), root, { recursive: true });
    return root;
  };

  for (const kind of repositoryKinds) {
    it(`finds nothing wrong in ${kind}, and counts what hg counts`, async () => {
      const summary = await engine.verify(repository(kind), unattended);
      assert.deepEqual(summary.faults, []);
      const counted = /checked (\d+) changesets with (\d+) changes to (\d+) files/.exec(
        hgText(repository(kind), ['verify']),
      );
      assert.deepEqual([summary.changesets, summary.fileRevisions, summary.files].map(String), counted?.slice(1) ?? []);
    });
  }

  it('finds whatever hg finds when bytes of the store are turned over', async () => {
    const random = pseudoRandom(41);
    const files = storeFiles(copy());
    let found = 0;
    for (let number = 0; number < 40; number++) {
      const root = copy();
      const file = files[Math.floor(random() * files.length)];
      const path = join(root, '.hg', 'store', file);
      const bytes = readFileSync(path);
      const at = Math.floor(random() * bytes.length);
      bytes[at] ^= 1 << Math.floor(random() * 8);
      writeFileSync(path, bytes);
      const { faultCount } = await engine.verify(root, unattended);
      const theirs = tryHg(root, ['verify', '-q']);
      if (theirs.code !== 0) assert.ok(faultCount > 0, `${file} at ${at}: ${theirs.stderr}${theirs.stdout.toString()}`);
      if (faultCount > 0) found++;
    }
    assert.ok(found > 25, `only ${found} found`);
  });

  it('finds what is missing: a history, a manifest, the end of a file', async () => {
    for (const [file, message] of [
      ['data/log.i', /is not there/],
      ['00manifest.i', /is not there/],
    ] as const) {
      const root = copy();
      rmSync(join(root, '.hg', 'store', file));
      const { faults } = await engine.verify(root, unattended);
      assert.match(faults[0].message, message);
    }
    const root = copy();
    const path = join(root, '.hg', 'store', 'data', 'log.i');
    writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size - 5));
    const { faultCount } = await engine.verify(root, unattended);
    assert.ok(faultCount > 0);
  });
});

/** The histories of a store. */
function storeFiles(root: string): string[] {
  return readdirSync(join(root, '.hg', 'store'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.i'),
  );
}
