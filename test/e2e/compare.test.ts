import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg, hgText } from '../fixtures/hgCommand';
import { copyOf, revlogFiles } from '../fixtures/optimizeRepository';
import { violations } from '../testbed/accessibility';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import { shownThemes, type Workbench } from '../testbed/workbench/workbench';

const view = 'Delta chains';
const longChains = /Chains are up to \d+ links long/;

describe('comparing in the editor', () => {
  let folder: TemporaryDirectory;
  let original: string;
  let root: string;
  let workbench: Workbench;

  before(async function () {
    this.timeout(120_000);
    folder = await temporaryDirectory('e2e-compare');
    original = join(folder.path, 'original');
    root = join(folder.path, 'sample');
    hg(folder.path, ['init', original]);
    // 75 times, a branch of five changesets is merged into one of four, so that chains become longer than 500 deltas.
    const rounds = Array.from({ length: 75 }, (_, at) => `+2:a${at}+5:b${at}<a${at}+4/b${at}`);
    hg(original, ['debugbuilddag', '-q', '--new-file', `+1 ${rounds.join(' ')}`]);
    copyOf(original, root);
    workbench = await sharedWorkbench(root);
  });
  explainFailures(() => workbench);
  after(() => folder.remove());

  const report = () => workbench.webview('table.policies', 40_000);
  const row = (text: string | RegExp) => workbench.treeRow(view, text);

  it('shows what each choice would gain and cost, and changes nothing', async () => {
    await workbench.openContainer('Deltascope');
    await row('sample').click();
    await workbench.page.keyboard.press('ArrowRight');
    await row(/^manifest/).click();
    await workbench.page.keyboard.press('ArrowRight');
    await row(longChains).waitFor();
    await workbench.screenshot('compare-tree-before');
    await workbench.runCommand('Deltascope: Compare delta choices');
    const page = await report();
    assert.deepEqual(revlogFiles(root), revlogFiles(original));
    const sizes = page.locator('table.policies').first();
    const both = sizes.locator('tbody tr', { hasText: 'both-parents' });
    assert.match(await textOf(both.locator('th')), /recommended/);
    assert.match(await textOf(both), /kB.*−\d+ %.*ms/s);
    assert.match(await textOf(page.locator('.recommendation')), /“both-parents”: it saves .* %/);
    assert.match(await textOf(page.locator('table.policies').nth(1)), /second parent/i);
    assert.ok((await page.locator('table.gains tbody tr').count()) > 5);
    assert.match((await page.locator('#curves').getAttribute('aria-label')) ?? '', /short-chains up to 100/);
    assert.ok((await coloursOf(page)) > 5, 'lines of several colours');
    assert.deepEqual(
      workbench.console.filter((line) => line.includes('Content Security Policy')),
      [],
    );
  });

  for (const theme of shownThemes) {
    it(`can be read by everybody: ${theme}`, async () => {
      const page = await report();
      await workbench.setTheme(theme);
      await page.locator('h1').scrollIntoViewIfNeeded();
      await workbench.screenshot(`compare-${theme}`);
      await page.locator('#curves').scrollIntoViewIfNeeded();
      await workbench.screenshot(`compare-curves-${theme}`);
      assert.deepEqual(await violations(page), []);
    });
  }

  it('shows the costs and curves of another history, and the chain of a merge', async () => {
    const page = await report();
    await page.locator('#history').selectOption({ label: 'changelog' });
    await page.locator('#curves-title', { hasText: 'changelog' }).waitFor();
    await page.locator('#history').selectOption({ label: 'manifest' });
    const first = page.locator('table.gains tbody tr').first();
    const rev = /revision ([\d,]+)/.exec(await textOf(first))?.[1] ?? '';
    await first.locator('button').click();
    const chains = await workbench.webview('.chain h3', 60_000);
    assert.equal(await chains.locator('.chain h3').textContent(), `Revision ${rev}`);
    await workbench.page.locator('.tab[aria-label*="Delta choices"]').click();
    await report();
  });

  it('writes the store again when that is agreed to: the finding goes, and comes back with the old store', async () => {
    const before = revlogFiles(root);
    await row(longChains).waitFor();
    await (await report()).getByRole('button', { name: 'Optimize with short-chains' }).click();
    await agreeToOptimize('optimize-question');
    await workbench.notifications.waitFor(/sample: .* became .*The old store is kept until you confirm/);
    await row(/kept until/).waitFor();
    await row(longChains).waitFor({ state: 'detached' });
    await workbench.screenshot('optimize-done');
    assert.notDeepEqual(revlogFiles(root), before);
    assert.equal(hgText(root, ['verify', '-q']), '');

    await workbench.notifications.press(/became/, 'Undo');
    await workbench.notifications.waitFor(/The old store is back/);
    await row(longChains).waitFor();
    await workbench.screenshot('optimize-undone');
    assert.deepEqual(revlogFiles(root), before);
  });

  it('is confirmed by the row of the repository, and hg goes on with the new store', async () => {
    const texts = hgText(root, ['log', '-T', '{node}', '--debug', '-p']);
    await workbench.runCommand('Deltascope: Optimize store');
    await workbench.quickInput.waitFor('How are its deltas to be chosen?');
    await workbench.screenshot('optimize-policies');
    await workbench.quickInput.pick('short-chains');
    await agreeToOptimize();
    const kept = row(/kept until/);
    await kept.waitFor();
    await kept.hover();
    await kept.locator('.action-label[aria-label*="Confirm"]').click();
    await workbench.notifications.waitFor(/The old store is deleted/);
    await kept.waitFor({ state: 'detached' });
    await workbench.screenshot('optimize-confirmed');
    assert.equal(hgText(root, ['log', '-T', '{node}', '--debug', '-p']), texts);
    hg(root, ['update', '-q']);
    await writeFile(join(root, 'one-more'), 'on top\n');
    hg(root, ['commit', '-qAm', 'on top', '-d', '0 0']);
    assert.equal(hgText(root, ['verify', '-q']), '');
  });

  async function agreeToOptimize(picture?: string): Promise<void> {
    const dialog = workbench.page.locator('.monaco-dialog-box');
    const button = dialog.getByRole('button', { name: 'Optimize', exact: true });
    await button.waitFor();
    if (picture !== undefined) await workbench.screenshot(picture);
    await button.click();
  }
});

async function textOf(locator: { textContent: () => Promise<string | null> }): Promise<string> {
  return ((await locator.textContent()) ?? '').replace(/\s+/g, ' ');
}

/** How many colours of lines are on the canvas of the curves. */
function coloursOf(page: Frame): Promise<number> {
  return page.locator('#curves canvas').evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    const colours = new Set<string>();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200) colours.add(data.slice(at, at + 3).join());
    return colours.size;
  });
}
