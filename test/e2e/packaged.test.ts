import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeSampleRepository } from '../../scripts/sampleRepository';
import { gitLines } from '../fixtures/gitRepository';
import { runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg, hgText } from '../fixtures/hgCommand';
import { writeLargePack } from '../fixtures/largePack';
import { SlowProxy } from '../fixtures/slowProxy';
import { projectRoot } from '../testbed/cachedInstallation';
import { run } from '../testbed/run';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { Workbench } from '../testbed/workbench/workbench';

const id = 'deltascope.deltascope';
const largestPackage = 3e6;
const blobSize = 24 << 20;

/** All that an installed Deltascope is made of, and `.vsixmanifest`, which the editor adds. */
const contents = [
  '.vsixmanifest',
  'LICENSE.txt',
  'THIRD-PARTY-NOTICES.txt',
  'changelog.md',
  'dist/askpass.js',
  'dist/extension.js',
  'dist/wasm-zstd.wasm',
  'dist/webview/bundle.css',
  'dist/webview/bundle.js',
  'dist/webview/codicon.css',
  'dist/webview/codicon.ttf',
  'dist/webview/compare.css',
  'dist/webview/compare.js',
  'dist/webview/report.css',
  'dist/webview/report.js',
  'dist/webview/transfer.css',
  'dist/webview/transfer.js',
  'dist/worker.js',
  'l10n/bundle.l10n.de.json',
  'media/deltascope.svg',
  'media/icon.png',
  ...['chains', 'clone', 'compare', 'unpack'].flatMap((step) =>
    ['dark', 'light'].map((theme) => `media/walkthrough/${step}-${theme}.png`),
  ),
  'package.json',
  'package.nls.de.json',
  'package.nls.json',
  'readme.md',
];

interface Manifest {
  contributes: { commands: { command: string }[] };
}

describe('the packaged extension', () => {
  let folder: TemporaryDirectory;
  let origin: string;
  let work: string;
  let clone: string;
  let blob: string;
  let address: string;
  let file: string;
  let workbench: Workbench;

  before(async () => {
    folder = await temporaryDirectory('e2e-packaged');
    for (const name of ['empty', 'work', 'broken', 'unpacked']) await mkdir(join(folder.path, name));
    origin = join(folder.path, 'origin');
    work = join(folder.path, 'work');
    clone = join(work, 'origin');
    await makeSampleRepository(origin);
    [blob] = await writeLargePack(join(work, 'large.pack'), [{ size: blobSize, random: true }]);
    file = await makePackage();
    workbench = await Workbench.open({
      folder: join(folder.path, 'empty'),
      packages: [file],
      settings: {
        // It shares the extension host, and starts programs when it wakes.
        'git.enabled': false,
        // The other tests have most of their pictures in a dark theme.
        'workbench.colorTheme': 'Light 2026',
      },
    });
  });
  explainFailures(() => workbench);
  after(async () => {
    await workbench.close();
    await folder.remove();
  });

  const cloneInto = async (parent: string, url: string) => {
    await workbench.runCommand('Deltascope: Clone repository (stream)');
    await workbench.quickInput.waitFor('Address or path of a Mercurial repository');
    await workbench.quickInput.submit(url);
    await workbench.quickInput.chooseFolder('Choose a folder to clone into', parent, 'Clone here');
  };
  const assertClean = async () => {
    assert.equal((await runHg(['verify', '-q', '-R', clone])).code, 0);
    assert.equal((await runHg(['status', '-R', clone])).stdout.toString(), '');
  };

  const installedFolder = async (): Promise<string | undefined> => {
    const names = await readdir(workbench.server.extensions);
    const name = names.find((one) => one.startsWith(id));
    return name === undefined ? undefined : join(workbench.server.extensions, name);
  };

  const wakeUp = async () => {
    // What a window shows by itself has been shown.
    await workbench.runCommand('View: Show Explorer');
    const awakening = await workbench.probe.wake(id);
    const { slept, milliseconds, cpuMilliseconds } = awakening;
    console.log(`      activation: ${milliseconds.toFixed(0)} ms, ${cpuMilliseconds.toFixed(0)} ms of processor`);
    assert.ok(slept);
    return awakening;
  };

  it('is small, and installs as the files that are needed and no others', async () => {
    const { size } = await stat(file);
    console.log(`      package: ${(size / 1e6).toFixed(2)} MB`);
    assert.ok(size < largestPackage, `${size} bytes`);
    const root = await installedFolder();
    assert.ok(root);
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    assert.deepEqual(files.sort(), [...contents].sort());
  });

  it('sleeps until it is needed, and is awake at once with every command', async () => {
    const awakening = await wakeUp();
    const { cpuMilliseconds, commands } = awakening;
    console.log(`      awake after ${cpuMilliseconds.toFixed(0)} ms of processor time`);
    const root = await installedFolder();
    assert.ok(root);
    const { contributes } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
    const promised = contributes.commands.map(({ command }) => command);
    assert.deepEqual(
      promised.filter((command) => !commands.includes(command)),
      [],
    );
  });

  it('is introduced by a tour, step by step with a picture', async () => {
    const { page } = workbench;
    // A narrow page has no room for pictures.
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await workbench.quickInput.waitFor('A tour of Deltascope');
    await workbench.quickInput.type('Deltascope');
    await workbench.quickInput.pick('A tour of Deltascope');
    const steps = page.locator('.getting-started-step');
    await steps.first().waitFor();
    assert.equal(await steps.count(), 4);
    for (let step = 0; step < 4; step++) {
      await steps.nth(step).click();
      const picture = page.locator('.getting-started-media img').first();
      await picture.waitFor();
      assert.match((await picture.getAttribute('alt')) ?? '', /\.$/);
      await workbench.screenshot(`walkthrough-${step + 1}`);
      assert.ok(await picture.evaluate((element) => (element as HTMLImageElement).naturalWidth > 200));
    }
    await page.getByRole('button', { name: 'Unpack Git pack' }).waitFor();
  });

  it('serves a repository, of which it makes a clone by stream', async () => {
    await workbench.openFolder(work);
    await workbench.openContainer('Deltascope');
    await workbench.runCommand('Deltascope: Serve repository');
    await workbench.quickInput.chooseFolder('choose the folder of a Mercurial repository', origin, 'Choose');
    const said = await workbench.notifications.waitFor(/origin is served at .*The address is copied/);
    address = /http:\S+(?=\.\s)/.exec(said)?.[0] ?? '';
    await cloneInto(work, address);
    await workbench.notifications.waitFor(/Cloned origin/);
    await workbench.treeRow('Transfers', /^stream v2, uncompressed/).waitFor();
    await workbench.screenshot('packaged-cloned');
    await assertClean();
  });

  it('looks at the chains of the clone', async () => {
    await workbench.treeRow('Delta chains', /^origin/).click();
    await workbench.page.keyboard.press('ArrowRight');
    const manifest = workbench.treeRow('Delta chains', /^manifest/);
    await manifest.waitFor();
    await workbench.screenshot('packaged-chains');
    await workbench.runCommand('Deltascope: Show delta chains');
    await workbench.quickInput.pick('manifest');
    const page = await workbench.webview('.grid-row');
    await workbench.screenshot('packaged-report');
    assert.ok((await page.locator('.grid-row').count()) > 5);
  });

  it('compares how its deltas could have been chosen', async () => {
    await workbench.runCommand('Deltascope: Compare delta choices');
    const page = await workbench.webview('table.policies', 60_000);
    await page.locator('tbody tr', { hasText: 'both-parents' }).first().waitFor();
    await workbench.screenshot('packaged-compare');
  });

  it('pulls what is new', async () => {
    await writeFile(join(origin, 'new.txt'), 'new\n');
    hg(origin, ['commit', '-qAm', 'something new', '-u', 'test', '-d', '0 0']);
    await workbench.runCommand('Deltascope: Pull');
    await workbench.notifications.waitFor(/1 new changeset in origin/);
    await workbench.screenshot('packaged-pulled');
    assert.equal(hgText(clone, ['log', '-r', 'tip', '-T', '{desc}']), 'something new');
    await assertClean();
  });

  it('unpacks a pack', async () => {
    await workbench.openContainer('Explorer');
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'large.pack' });
    await workbench.pickFromMenu(() => row.click({ button: 'right' }), 'Unpack Git pack');
    await workbench.quickInput.chooseFolder('Choose the repository', join(folder.path, 'unpacked'), 'Unpack here');
    await workbench.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Make a repository' }).click();
    await workbench.notifications.waitFor(/Unpacked 1 object /);
    await workbench.screenshot('packaged-unpacked');
    assert.deepEqual(gitLines(join(folder.path, 'unpacked'), ['cat-file', '-s', blob]), [String(blobSize)]);
  });

  it('leaves nothing when it has to end: no server, no thread, no file, no half of a clone', async () => {
    await using proxy = await SlowProxy.start(address, 50_000);
    const broken = join(folder.path, 'broken');
    await cloneInto(broken, proxy.url);
    await workbench.waitForStatusBar(/Cloning/);
    assert.notDeepEqual(await readdir(broken), []);
    const { before, after: left } = await workbench.probe.release(id);
    console.log(`      held: ${before.join(', ')}`);
    assert.ok(before.includes('TCPServerWrap') && before.includes('MessagePort'), 'a server and threads');
    assert.deepEqual(left, []);
    await assert.rejects(fetch(`${address}?cmd=capabilities`));
    assert.deepEqual(await readdir(broken), []);
    const temporary = await readdir(workbench.server.temporary);
    assert.deepEqual(
      temporary.filter((name) => name.startsWith('deltascope')),
      [],
    );
  });

  it('can be uninstalled', async () => {
    await workbench.server.uninstall(id);
    const left = await readFile(join(workbench.server.extensions, 'extensions.json'), 'utf8');
    assert.ok(!left.includes(id), left);
    await workbench.openFolder(work);
    await workbench.quickInput.openPalette();
    await workbench.quickInput.type('>Deltascope');
    await workbench.quickInput.waitFor('No matching commands');
    await workbench.screenshot('packaged-uninstalled');
  });
});

/** Runs `npm run package`, and gives the file that it says it has made. */
async function makePackage(): Promise<string> {
  const script = join(projectRoot, 'scripts', 'package.ts');
  const said = await run(process.execPath, ['--import', 'tsx', script], { cwd: projectRoot });
  const file = /^(.+\.vsix): [\d.]+ MB$/m.exec(said)?.[1];
  if (file === undefined) throw new Error(said);
  return file;
}
