import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { SlowProxy } from '../fixtures/slowProxy';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import { shownThemes, type Workbench } from '../testbed/workbench/workbench';

const command = 'Deltascope: Clone repository (stream)';
const megabyte = 1 << 20;

describe('cloning from the palette', () => {
  let folder: TemporaryDirectory;
  let server: HgServer;
  let workbench: Workbench;

  before(async () => {
    folder = await temporaryDirectory('e2e-clone');
    server = await HgServer.start(await makeRepository(join(folder.path, 'sample')), { prefix: 'sample' });
    workbench = await sharedWorkbench();
  });
  explainFailures(() => workbench);
  after(async () => {
    await server.stop();
    await folder.remove();
  });

  it('counts in the status bar, and opens a complete, clean working copy', async () => {
    const parent = await emptyFolder(folder, 'clones');
    await using proxy = await SlowProxy.start(server.url, 4 * megabyte);
    await cloneByHand(workbench, proxy.url, parent);

    const percentages = await workbench.percentagesOf(/Cloning/, async (percent) => {
      if (percent > 20 && percent < 80) await workbench.screenshot('clone-running');
    });
    assert.ok(percentages.length >= 4, `the status bar showed ${percentages.join(', ')}`);
    assert.deepEqual(
      percentages,
      [...percentages].sort((a, b) => a - b),
    );

    await workbench.notifications.waitFor(/Cloned .*: 201 files checked out/);
    await workbench.openContainer('Deltascope');
    await workbench.page.getByText('stream clone: the server prefers to send it uncompressed').first().waitFor();
    for (const theme of shownThemes) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`clone-done-${theme}`);
    }

    await workbench.notifications.press(/Cloned/, 'Open');
    await workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'directory0' }).waitFor();
    await workbench.screenshot('clone-opened');
    const [clone] = await readdir(parent);
    await assertCleanClone(join(parent, clone));
  });

  it('leaves no folder when it is cancelled half-way', async () => {
    const parent = await emptyFolder(folder, 'cancelled');
    await using proxy = await SlowProxy.start(server.url, megabyte);
    await cloneByHand(workbench, proxy.url, parent);
    await workbench.waitForStatusBar(/Cloning .* [1-9]\d?%/);
    assert.equal((await readdir(parent)).length, 1);

    await workbench.notifications.press(/Cloning/, 'Cancel');
    await workbench
      .statusBarItem(/Cloning/)
      .first()
      .waitFor({ state: 'detached' });
    await workbench.openContainer('Deltascope');
    await workbench.page.locator('.monaco-list-row', { hasText: 'cancelled' }).first().waitFor();
    await workbench.screenshot('clone-cancelled');
    assert.deepEqual(await readdir(parent), []);
  });

  it('says what went wrong and what to do', async () => {
    const parent = await emptyFolder(folder, 'refused');
    // An address without a path gives the clone no name.
    await cloneByHand(workbench, 'http://127.0.0.1:9/', parent);
    await workbench.quickInput.waitFor('Name the folder of the clone');
    await workbench.page.keyboard.press('Enter');
    const message = await workbench.notifications.waitFor(/nothing answers there/);
    assert.match(message, /Nothing was left behind/);
    await workbench.notifications.waitUntilGone(/Cloning/);
    await workbench.screenshot('clone-failed');
    assert.deepEqual(await readdir(parent), []);
  });

  it('does not hold the event loop of the extension host', async () => {
    const parent = await emptyFolder(folder, 'measured');
    await sayAddress(workbench, server.url);
    const delay = await workbench.probe.during(async () => {
      await sayFolder(workbench, parent);
      await workbench.notifications.waitFor(/Cloned/);
    });
    console.log(`      event loop during the clone: p99 ${delay.p99} ms, p99.9 ${delay.p999} ms, max ${delay.max} ms`);
    assert.ok(delay.samples > 0);
    assert.ok(delay.p50 <= delay.p99 && delay.p99 <= delay.p999 && delay.p999 <= delay.max);
    assert.ok(existsSync(join(parent, 'sample', '.hg')));
  });
});

async function cloneByHand(workbench: Workbench, address: string, parent: string): Promise<void> {
  await sayAddress(workbench, address);
  await sayFolder(workbench, parent);
}

async function sayAddress(workbench: Workbench, address: string): Promise<void> {
  await workbench.runCommand(command);
  await workbench.quickInput.waitFor('Address or path of a Mercurial repository');
  await workbench.quickInput.type(address);
  await workbench.page.keyboard.press('Enter');
  await workbench.quickInput.waitFor('Choose a folder to clone into');
}

async function sayFolder(workbench: Workbench, parent: string): Promise<void> {
  await workbench.quickInput.chooseFolder('Choose a folder to clone into', parent, 'Clone here');
}

async function emptyFolder(folder: TemporaryDirectory, name: string): Promise<string> {
  const path = join(folder.path, name);
  await mkdir(path);
  return path;
}

/** 200 small files in folders, and one of 20 MB that cannot be compressed. */
async function makeRepository(path: string): Promise<string> {
  await run(['init', path]);
  for (let index = 0; index < 200; index++) {
    const directory = join(path, `directory${index % 10}`);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, `file${index}.txt`), `content of file ${index}\n`);
  }
  await writeFile(join(path, 'big.bin'), randomBytes(20 * megabyte));
  await run(['commit', '-R', path, '-A', '-q', '-m', 'everything', '-d', '0 0']);
  return path;
}

async function assertCleanClone(path: string): Promise<void> {
  assert.equal(await run(['status', '-R', path]), '');
  const verified = await runHg(['verify', '-q', '-R', path]);
  assert.equal(verified.code, 0);
  assert.equal(verified.stderr, '');
}

async function run(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHg(args);
  assert.equal(code, 0, stderr);
  return stdout.toString();
}
