import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeSampleRepository } from '../../scripts/sampleRepository';
import { HgServer, runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { projectRoot } from '../testbed/cachedInstallation';
import { run } from '../testbed/run';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { Workbench } from '../testbed/workbench/workbench';

const id = 'deltascope.deltascope';
const largestPackage = 3e6;

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
  'media/deltascope.svg',
  'media/icon.png',
  ...['chains', 'clone', 'compare', 'unpack'].flatMap((step) =>
    ['dark', 'light'].map((theme) => `media/walkthrough/${step}-${theme}.png`),
  ),
  'package.json',
  'package.nls.json',
  'readme.md',
];

interface Manifest {
  contributes: { commands: { command: string }[] };
}

describe('the packaged extension', () => {
  let folder: TemporaryDirectory;
  let server: HgServer;
  let file: string;
  let workbench: Workbench;

  before(async () => {
    folder = await temporaryDirectory('e2e-packaged');
    await makeSampleRepository(join(folder.path, 'sample'));
    server = await HgServer.start(join(folder.path, 'sample'), { prefix: 'sample' });
    file = await makePackage();
    for (const name of ['empty', 'clones']) await mkdir(join(folder.path, name));
    workbench = await Workbench.open({
      folder: join(folder.path, 'empty'),
      packages: [file],
      // It shares the extension host, and starts programs when it wakes.
      settings: { 'git.enabled': false },
    });
  });
  explainFailures(() => workbench);
  after(async () => {
    await workbench.close();
    await server.stop();
    await folder.remove();
  });

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

  it('clones, looks at what came, and can be uninstalled', async () => {
    const parent = join(folder.path, 'clones');
    await workbench.runCommand('Deltascope: Clone repository (stream)');
    await workbench.quickInput.waitFor('Address of a Mercurial repository');
    await workbench.quickInput.submit(server.url);
    await workbench.quickInput.chooseFolder('Choose a folder to clone into', parent, 'Clone here');
    await workbench.notifications.waitFor(/Cloned sample/);
    const clone = join(parent, 'sample');
    assert.equal((await runHg(['verify', '-q', '-R', clone])).code, 0);
    assert.equal((await runHg(['status', '-R', clone])).stdout.toString(), '');

    await workbench.notifications.press(/Cloned/, 'Open');
    await workbench.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await workbench.ready();
    await workbench.openContainer('Deltascope');
    await workbench.treeRow('Delta chains', /^sample/).click();
    // Its texts are read by the packaged worker.
    await workbench.treeRow('Delta chains', /^changelog/).waitFor();
    await workbench.screenshot('packaged-chains');

    await workbench.server.uninstall(id);
    const left = await readFile(join(workbench.server.extensions, 'extensions.json'), 'utf8');
    assert.ok(!left.includes(id), left);
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
