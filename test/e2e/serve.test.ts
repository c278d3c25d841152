import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg } from '../fixtures/hgCommand';
import { SlowProxy } from '../fixtures/slowProxy';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import { shownThemes, type Workbench } from '../testbed/workbench/workbench';

const megabyte = 1 << 20;

describe('serving a repository from the palette', () => {
  let folder: TemporaryDirectory;
  let root: string;
  let workbench: Workbench;
  let address: string;

  before(async () => {
    folder = await temporaryDirectory('e2e-serve');
    root = join(folder.path, 'sample');
    hg(folder.path, ['init', root]);
    for (let file = 0; file < 24; file++) await writeFile(join(root, `${file}.bin`), randomBytes(megabyte / 2));
    hg(root, ['commit', '-qAm', 'random files', '-u', 'test', '-d', '0 0']);
    workbench = await sharedWorkbench(root);
    await workbench.openContainer('Deltascope');
  });
  explainFailures(() => workbench);
  after(() => folder.remove());

  it('copies an address that hg clones from, and shows who is served how fast', async () => {
    await workbench.runCommand('Deltascope: Serve repository');
    const said = await workbench.notifications.waitFor(/sample is served at .*The address is copied/);
    address = /http:\S+(?=\.\s)/.exec(said)?.[0] ?? '';
    assert.equal(new URL(address).hostname, '127.0.0.1');
    await workbench.waitForStatusBar(/Serving sample · 0 clients/);

    await using proxy = await SlowProxy.start(address, 3 * megabyte);
    const clone = join(folder.path, 'clone');
    const cloning = runHg(['clone', '--stream', '-U', proxy.url, clone]);
    await workbench.waitForStatusBar(/Serving sample · 1 client · \d.*B\/s/);
    await workbench.treeRow('Transfers', /^Serving sample\s*\d+%/).waitFor();
    await workbench.screenshot('serve-running');
    const { code, stderr } = await cloning;
    assert.equal(code, 0, stderr);
    await workbench.treeRow('Transfers', /^Serving sample\s*done in/).waitFor();
    await workbench.treeRow('Transfers', /^stream v2, uncompressed/).waitFor();
    assert.equal((await runHg(['verify', '-q', '-R', clone])).code, 0);
    for (const theme of shownThemes) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`serve-done-${theme}`);
    }
  });

  it('breaks off one client by Cancel', async () => {
    await using proxy = await SlowProxy.start(address, megabyte);
    const clone = join(folder.path, 'broken');
    const cloning = runHg(['clone', '--stream', '-U', proxy.url, clone]);
    const row = workbench.treeRow('Transfers', /^Serving sample\s*\d+%/);
    await row.waitFor();
    await row.hover();
    await row.locator('.action-label[aria-label^="Cancel"]').click();
    assert.notEqual((await cloning).code, 0);
    await workbench.treeRow('Transfers', /^Serving sample\s*cancelled/).waitFor();
    assert.equal(existsSync(join(clone, '.hg')), false);
  });

  it('answers nobody when it is stopped from the status bar', async () => {
    await workbench
      .statusBarItem(/Serving sample/)
      .first()
      .click();
    await workbench.quickInput.waitFor('sample is served at');
    await workbench.screenshot('serve-actions');
    await workbench.quickInput.pick('Stop serving');
    await workbench
      .statusBarItem(/Serving sample/)
      .first()
      .waitFor({ state: 'detached' });
    await assert.rejects(fetch(`${address}?cmd=capabilities`));
    await mkdir(join(folder.path, 'late'));
    assert.notEqual((await runHg(['clone', address, join(folder.path, 'late')])).code, 0);
  });
});
