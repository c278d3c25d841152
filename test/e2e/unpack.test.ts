import assert from 'node:assert/strict';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitLines } from '../fixtures/gitRepository';
import { temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { writeLargePack } from '../fixtures/largePack';
import { violations } from '../testbed/accessibility';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import { shownThemes, type Workbench } from '../testbed/workbench/workbench';

const mebibyte = 1024 * 1024;
const size = 320 * mebibyte;
/** So large that there is time to cancel. */
const huge = 1536 * mebibyte;

describe('unpacking a Git pack from the explorer', () => {
  let folder: TemporaryDirectory;
  let workbench: Workbench;
  let blob: string;

  before(async () => {
    folder = await temporaryDirectory('e2e-unpack');
    const packs = join(folder.path, 'packs');
    await mkdir(packs);
    [blob] = await writeLargePack(join(packs, 'large.pack'), [{ size, random: true }]);
    workbench = await sharedWorkbench(packs);
    await workbench.openContainer('Deltascope');
    await workbench.openContainer('Explorer');
  });
  explainFailures(() => workbench);
  after(() => folder.remove());

  /** Asks from the explorer's menu to unpack one into a folder; the last question is whether it shall become a repository. */
  const askToUnpackInto = async (name: string, pack: string): Promise<string> => {
    const target = join(folder.path, name);
    await mkdir(target);
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: pack });
    await workbench.pickFromMenu(() => row.click({ button: 'right' }), 'Unpack Git pack');
    await workbench.quickInput.chooseFolder('Choose the repository', target, 'Unpack here');
    return target;
  };
  const agree = () =>
    workbench.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Make a repository' }).click();

  it('counts while a blob of 320 MiB goes through a small buffer, holds nobody up, and reports', async () => {
    let percentages: number[] = [];
    const target = await askToUnpackInto('unpacked', 'large.pack');
    const delay = await workbench.probe.during(async () => {
      await agree();
      percentages = await workbench.percentagesOf(/Unpacking/, async (percent) => {
        if (percent > 20 && percent < 80) await workbench.screenshot('unpack-running');
      });
      await workbench.notifications.waitFor(/Unpacked 1 object /);
    });
    console.log(`      event loop while unpacking: p99 ${delay.p99} ms, p99.9 ${delay.p999} ms, max ${delay.max} ms`);
    assert.ok(percentages.length >= 3, `the status bar showed ${percentages.join(', ')}`);
    assert.deepEqual(
      percentages,
      [...percentages].sort((one, other) => one - other),
    );
    assert.equal(git(target, ['cat-file', '-s', blob]).toString().trim(), String(size));
    assert.deepEqual(gitLines(target, ['fsck', '--full', '--no-dangling']), []);

    await workbench.notifications.press(/Unpacked/, 'Show report');
    const page = await workbench.webview('.phases');
    const text = (await page.locator('#page').textContent()) ?? '';
    assert.match(text, /Done in/);
    assert.match(text, /Buffer\s*\d/);
    assert.match(text, new RegExp(blob));
    await page.locator('#throughput canvas').waitFor();
    for (const theme of shownThemes) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`unpack-report-${theme}`);
      assert.deepEqual(await violations(page), []);
    }
  });

  it('leaves the repository as it was when it is cancelled', async () => {
    await writeLargePack(join(folder.path, 'packs', 'huge.pack'), [{ size: huge, random: true }]);
    await workbench.openContainer('Explorer');
    const target = await askToUnpackInto('cancelled', 'huge.pack');
    await agree();
    await workbench.waitForStatusBar(/Unpacking .* [1-9]\d?%/);
    await workbench.notifications.press(/Unpacking/, 'Cancel');
    await workbench
      .statusBarItem(/Unpacking/)
      .first()
      .waitFor({ state: 'detached' });
    await workbench.openContainer('Deltascope');
    await workbench.page.locator('.monaco-list-row', { hasText: 'cancelled' }).first().waitFor();
    await workbench.screenshot('unpack-cancelled');
    const objects = await readdir(join(target, '.git', 'objects'), { recursive: true });
    for (const name of objects) assert.ok((await stat(join(target, '.git', 'objects', name))).isDirectory(), name);
    assert.deepEqual(gitLines(target, ['fsck', '--full']), []);
  });
});
