import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg, hgText } from '../fixtures/hgCommand';
import { Workbench } from '../testbed/workbench/workbench';

describe('keeping a clone up to date', () => {
  let folder: TemporaryDirectory;
  let server: HgServer;
  let origin: string;
  let clone: string;
  let workbench: Workbench;

  before(async () => {
    folder = await temporaryDirectory('e2e-pull');
    origin = makeOrigin(join(folder.path, 'origin'));
    server = await HgServer.start(origin, { prefix: 'sample' });
    mkdirSync(join(folder.path, 'clones'));
    clone = join(folder.path, 'clones', 'sample');
    workbench = await Workbench.open({ folder: join(folder.path, 'clones') });
  });
  after(async () => {
    await workbench.close();
    await server.stop();
    await folder.remove();
  });

  it('clones by pull, and shows what was agreed and where the time went', async () => {
    await workbench.runCommand('Deltascope: Clone repository (pull)');
    await workbench.quickInput.waitFor('Address of a Mercurial repository');
    await workbench.quickInput.submit(server.url);
    await workbench.quickInput.chooseFolder('Choose a folder to clone into', join(folder.path, 'clones'), 'Clone here');
    await workbench.notifications.waitFor(/Cloned sample: 62 files checked out/);
    await workbench.openContainer('Deltascope');
    await workbench.treeRow('Transfers', /changegroup/).waitFor();
    await workbench.screenshot('pull-cloned');
    await assertClean(clone);
    assert.equal(hgText(clone, ['log', '-T', '{node} ']), hgText(origin, ['log', '-T', '{node} ']));
  });

  it('pulls what was committed since', async () => {
    appendFileSync(join(origin, 'readme.md'), 'one more line\n');
    hg(origin, ['commit', '-q', '-m', 'say more', '-u', 'ann', '-d', '1700000000 0']);
    await workbench.runCommand('Deltascope: Pull');
    await workbench.notifications.waitFor(/1 new changesets in sample, 1 files/);
    await workbench.screenshot('pull-done');
    assert.equal(hgText(clone, ['log', '-r', 'tip', '-T', '{desc}']), 'say more');
    await workbench.notifications.press(/1 new changesets/, 'Show report');
    const page = await workbench.webview('.phases');
    const text = (await page.locator('#page').textContent()) ?? '';
    assert.match(text, /On disk\s*\d/);
    assert.match(text, /changegroup/);
    await workbench.screenshot('pull-report');
  });

  it('verifies, and says what is wrong', async () => {
    await workbench.runCommand('Deltascope: Verify repository');
    await workbench.notifications.waitFor(/Nothing is wrong with sample/);
    await workbench.screenshot('pull-verified');
  });
});

function makeOrigin(root: string): string {
  hg('/', ['init', root]);
  mkdirSync(join(root, 'src'));
  for (let index = 0; index < 60; index++) {
    writeFileSync(join(root, 'src', `module${index}.ts`), `export const value${index} = ${index};\n`);
  }
  writeFileSync(join(root, 'readme.md'), '# Sample\n');
  writeFileSync(join(root, 'picture.bin'), Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7) & 0xff)));
  hg(root, ['commit', '-q', '-A', '-m', 'begin', '-u', 'ann', '-d', '1600000000 0']);
  for (let round = 1; round <= 12; round++) {
    appendFileSync(join(root, 'src', `module${round}.ts`), `export const more${round} = ${round};\n`);
    hg(root, [
      'commit',
      '-q',
      '-m',
      `change module ${round}`,
      '-u',
      'bob',
      '-d',
      `${1600000000 + round * 86400} -7200`,
    ]);
  }
  return root;
}

async function assertClean(path: string): Promise<void> {
  assert.equal(hgText(path, ['status']), '');
  const { code, stderr } = await runHg(['verify', '-q', '-R', path]);
  assert.deepEqual([code, stderr], [0, '']);
}
