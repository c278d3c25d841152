import assert from 'node:assert/strict';
import { join } from 'node:path';
import { makeSampleRepository } from '../../scripts/sampleRepository';
import { temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import type { Workbench } from '../testbed/workbench/workbench';

describe('a window in German', () => {
  let folder: TemporaryDirectory;
  let workbench: Workbench;

  before(async () => {
    folder = await temporaryDirectory('e2e-german');
    await makeSampleRepository(join(folder.path, 'sample'));
    workbench = await sharedWorkbench(undefined, { 'workbench.colorTheme': 'Light 2026' });
    await workbench.openFolder(join(folder.path, 'sample'), 'de');
  });
  explainFailures(() => workbench);
  after(() => folder.remove());

  it('has German commands, views and figures', async () => {
    await workbench.openContainer('Deltascope');
    await workbench.view('Deltaketten').waitFor();
    await workbench.treeRow('Deltaketten', /^sample/).click();
    await workbench.page.keyboard.press('ArrowRight');
    await workbench.treeRow('Deltaketten', /^Dateien/).waitFor();
    await workbench.view('Übertragungen').getByText('Noch keine Übertragungen.').waitFor();
    await workbench.screenshot('german-views');
  });

  it('has German pages', async () => {
    await workbench.runCommand('Deltascope: Deltaketten anzeigen');
    await workbench.quickInput.pick('manifest');
    const page = await workbench.webview('.grid-row');
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    const headings = await page.locator('h2').allInnerTexts();
    assert.ok(
      headings.some((heading) => heading.includes('Alle Revisionen')),
      headings.join(', '),
    );
    // Reports are made by worker threads.
    await page.getByText('In Ordnung: Nichts kostet hier mehr, als es sollte.').waitFor();
    await workbench.screenshot('german-report');
  });
});
