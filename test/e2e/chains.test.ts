import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { chainRepository } from '../fixtures/chainRepositories';
import { DeltascopeProgram } from '../fixtures/deltascopeProgram';
import { git, gitLines } from '../fixtures/gitRepository';
import { runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hgText } from '../fixtures/hgCommand';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import { shownThemes, type Workbench } from '../testbed/workbench/workbench';

const view = 'Delta chains';

describe('the Delta chains view', () => {
  let folder: TemporaryDirectory;
  let root: string;
  let workbench: Workbench;

  before(async () => {
    folder = await temporaryDirectory('e2e-chains');
    root = join(folder.path, 'sample');
    cpSync(await chainRepository('merges'), root, { recursive: true });
    workbench = await sharedWorkbench(root);
    await openView(workbench);
  });
  explainFailures(() => workbench);
  after(() => folder.remove());

  it('leads by keyboard from a repository to the text of a revision, and follows hg', async () => {
    const { page } = workbench;
    const row = (text: string | RegExp) => workbench.treeRow(view, text);
    await row('sample').click();
    await expandHere(workbench, /^sample/);
    await row(/^changelog.*healthy/).waitFor();
    await goTo(workbench, /^Files/);
    await expandHere(workbench, /^Files/);
    await row(/^text.*130 revisions/).waitFor();
    for (const theme of shownThemes) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`chains-tree-${theme}`);
    }

    await workbench.runCommand('Deltascope: Sort files by longest chain');
    await row(/^Files.*by longest chain/).waitFor();
    await workbench.runCommand('Deltascope: Filter files of the Delta chains view');
    await workbench.quickInput.submit('TEXT');
    await row(/^Files.*with “TEXT”/).waitFor();
    await row(/^file0/).waitFor({ state: 'detached' });
    await row(/^text/).waitFor();

    await focusRow(workbench, /^text/);
    await expandHere(workbench, /^text/);
    await row(/^Chain from revision 0/).waitFor();
    await goTo(workbench, /^Chain from revision 0/);
    await expandHere(workbench, /^Chain from revision 0/);
    await spoken(workbench, 'Revision 0,').filter({ hasText: 'whole text' }).waitFor();
    const second = spoken(workbench, 'Revision 1,').filter({ hasText: 'delta of its first parent 0' });
    await second.waitFor();
    await workbench.screenshot('chains-revisions');
    await second.hover();
    await second.locator('.action-label[aria-label*="Open revision text"]').click();
    await page.locator('.tab[aria-label*="text@1"]').waitFor();
    const first = hgText(root, ['debugdata', 'text', '1']).split('\n')[0];
    await page
      .locator('.view-line', { hasText: first.slice(0, 40) })
      .first()
      .waitFor();
    await workbench.screenshot('chains-text');

    const before = Number(hgText(root, ['log', '-r', 'tip', '-T', '{rev}'])) + 1;
    await row(new RegExp(`^changelog.*${before} revisions`)).waitFor();
    await appendFile(join(root, 'text'), 'one more line\n');
    const committed = await runHg(['commit', '-q', '-m', 'elsewhere', '-d', '0 0'], { cwd: root });
    assert.equal(committed.code, 0, committed.stderr);
    await row(new RegExp(`^changelog.*${before + 1} revisions`)).waitFor();
    await second.waitFor();
    await workbench.screenshot('chains-after-commit');
  });

  it('exports the rows that the command line prints', async () => {
    using program = await DeltascopeProgram.build();
    for (const [format, flag] of [
      ['csv', '--csv'],
      ['json', '--json'],
    ]) {
      const target = join(folder.path, `rows.${format}`);
      await workbench.runCommand('Deltascope: Export chain statistics');
      await workbench.quickInput.waitFor('Which history of sample');
      await workbench.quickInput.type('manifest');
      await workbench.quickInput.pick('manifest');
      await workbench.quickInput.choosePath('Export the chain statistics of manifest', target);
      await workbench.notifications.waitFor(/Exported/);
      await workbench.screenshot(`chains-export-${format}`);
      const printed = program.run('chains', '--manifest', flag, root);
      assert.equal(await readFile(target, 'utf8'), printed.stdout);
    }
  });

  it('shows the report of a revlog that is chosen from the palette, and from there a revision in the tree', async () => {
    await workbench.runCommand('Deltascope: Show delta chains');
    await workbench.quickInput.waitFor('Which history of sample');
    await workbench.quickInput.type('text');
    await workbench.quickInput.pick('text');
    await workbench.page.locator('.tab[aria-label*="Chains: text"]').waitFor();
    const report = await workbench.webview('.grid-row');
    await report.getByText('text').first().waitFor();
    await workbench.screenshot('chains-report');

    await report.locator('.rows').scrollIntoViewIfNeeded();
    await report.locator('.grid-row').nth(5).locator('.cell').first().click();
    await report.getByRole('button', { name: 'Show in Delta chains' }).click();
    await spoken(workbench, 'Revision 5,').and(workbench.page.locator('.focused')).waitFor();
    await workbench.screenshot('chains-revealed');
  });

  it('names damage at its revision, and shows the rest', async () => {
    const damaged = join(folder.path, 'damaged');
    cpSync(await chainRepository('merges'), damaged, { recursive: true });
    const index = join(damaged, '.hg/store/00manifest.i');
    const bytes = readFileSync(index);
    // The base of revision 5, bytes 16 to 19 of its entry, comes after it. Chunks lie between the entries: bytes 8 to 11.
    assert.equal(bytes[1] & 1, 1, 'the manifest of the sample is inline');
    let entry = 0;
    for (let rev = 0; rev < 5; rev++) entry += 64 + bytes.readInt32BE(entry + 8);
    bytes.writeInt32BE(90, entry + 16);
    writeFileSync(index, bytes);
    await workbench.openFolder(damaged);
    await openView(workbench);
    await workbench.treeRow(view, 'damaged').click();
    await expandHere(workbench, /^damaged/);
    const manifest = workbench.treeRow(view, /^manifest.*damaged/);
    await manifest.waitFor();
    await workbench.treeRow(view, /^changelog/).waitFor();
    await goTo(workbench, /^manifest/);
    await expandHere(workbench, /^manifest/);
    await workbench.treeRow(view, /^Revision 5 is a delta against revision 90/).waitFor();
    // Rows below the fold are not there before they are scrolled to.
    const chain = workbench.treeRow(view, /^Chain from revision 0/);
    for (let step = 0; step < 30 && !(await chain.isVisible()); step++)
      await workbench.page.keyboard.press('ArrowDown');
    await chain.waitFor();
    await workbench.page.keyboard.press('Home');
    // A tooltip comes when the pointer arrives.
    await workbench.view('Transfers').hover();
    await manifest.hover();
    await workbench.page.locator('.monaco-hover', { hasText: 'hg verify' }).first().waitFor();
    await workbench.screenshot('chains-damaged');
  });

  it('shows the first pack of a Git repository when it comes, page after page', async () => {
    await using outer = await temporaryDirectory('packs');
    const objects = looseRepository(outer.path, 150);
    await workbench.openFolder(outer.path);
    const { page } = workbench;
    const row = (text: string | RegExp) => workbench.treeRow(view, text);
    await openView(workbench);
    await workbench.view(view).getByText('Show a repository from another folder').waitFor();
    git(objects, ['gc', '-q']);
    await row(/^objects.*Git packs/).waitFor();
    await row('objects').click();
    await expandHere(workbench, /^objects/);
    await goTo(workbench, /^pack-.*/);
    await expandHere(workbench, /^pack-.*/);
    await row(/^Chain from/).waitFor();
    await page.keyboard.press('End');
    await row(/^Show 100 more/).waitFor();
    await workbench.screenshot('chains-pack');
    await row(/^Show 100 more/).click();
    await row(/^Show 100 more/).waitFor({ state: 'detached' });

    await page.keyboard.press('Home');
    await goTo(workbench, /^Chain from/);
    await expandHere(workbench, /^Chain from/);
    await goTo(workbench, /^(tree|blob|commit) /);
    await workbench.screenshot('chains-objects');
    await workbench.pickFromMenu(() => page.keyboard.press('Shift+F10'), 'Copy node');
    await workbench.runCommand('Deltascope: Filter files of the Delta chains view');
    await workbench.quickInput.waitFor('Show files whose name contains');
    await page.keyboard.press('Control+V');
    const copied = await workbench.quickInput.input.inputValue();
    assert.match(
      gitLines(objects, ['cat-file', '--batch-all-objects', '--batch-check']).join('\n'),
      new RegExp(copied),
    );
    assert.match(copied, /^[0-9a-f]{40}$/);
  });

  it('offers what to do where there is no repository', async () => {
    await using empty = await temporaryDirectory('empty');
    await workbench.openFolder(empty.path);
    await openView(workbench);
    await workbench.view(view).getByText('Show a repository from another folder').waitFor();
    await workbench.screenshot('chains-welcome');
    const init = await runHg(['init', join(empty.path, 'late')]);
    assert.equal(init.code, 0, init.stderr);
    await workbench.treeRow(view, 'late').waitFor();
  });
});

/** A Git repository of many loose objects. */
function looseRepository(folder: string, files: number): string {
  const root = join(folder, 'objects');
  git(folder, ['init', '-q', root]);
  for (let file = 0; file < files; file++) writeFileSync(join(root, `${file}.txt`), `text ${file}\n`);
  git(root, ['add', '.']);
  git(root, ['commit', '-q', '-m', 'many files']);
  return root;
}

async function openView(workbench: Workbench): Promise<void> {
  await workbench.openContainer('Deltascope');
  await workbench.view(view).waitFor();
}

/** The row whose spoken name begins so. */
function spoken(workbench: Workbench, name: string): Locator {
  return workbench.view(view).locator(`[role="treeitem"][aria-label^="${name}"]`);
}

/** Expands the row that has the focus, by the key for it. */
async function expandHere(workbench: Workbench, name: RegExp): Promise<void> {
  const row = workbench.treeRow(view, name);
  const expanded = workbench.view(view).locator(`[role="treeitem"][aria-expanded="true"]`, { hasText: name }).first();
  for (let attempt = 1; ; attempt++) {
    if ((await row.getAttribute('aria-expanded')) !== 'true') await workbench.page.keyboard.press('ArrowRight');
    try {
      await expanded.waitFor({ timeout: 6_000 });
      return;
    } catch (error) {
      // A tree that is drawn anew at that moment, since something changed on disk, does not hear the key.
      if (attempt === 5) throw error;
    }
  }
}

/** Goes down by keys to the row whose text matches. */
async function goTo(workbench: Workbench, text: RegExp): Promise<void> {
  await workbench.treeRow(view, text).waitFor();
  for (let step = 0; step < 50; step++) {
    const focused = workbench.view(view).locator('.monaco-list-row.focused');
    if (text.test(((await focused.textContent()) ?? '').trim())) return;
    await workbench.page.keyboard.press('ArrowDown');
  }
  throw new Error(`No row ${text} below`);
}

/** Puts the focus back into the tree, on that row. */
async function focusRow(workbench: Workbench, text: RegExp): Promise<void> {
  await workbench.runCommand('Deltascope: Focus on Delta chains View');
  await workbench.page.keyboard.press('Home');
  await goTo(workbench, text);
}
