import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { zstdReady } from '../../src/engine/compression/block';
import { fastImport, git, initRepository } from '../fixtures/gitRepository';
import { temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { hg } from '../fixtures/hgCommand';
import { writeManifestHistory } from '../fixtures/manifestHistory';
import { sourceHistory } from '../fixtures/sourceHistory';
import { writeSyntheticIndex } from '../fixtures/syntheticRevlog';
import { violations } from '../testbed/accessibility';
import { explainFailures } from '../testbed/workbench/explainFailures';
import { sharedWorkbench } from '../testbed/workbench/sharedWorkbench';
import { shownThemes, type Workbench } from '../testbed/workbench/workbench';

const revisions = 4000;
const many = 1_000_000;

describe('the chain report', () => {
  let folder: TemporaryDirectory;
  let workbench: Workbench;

  before(async () => {
    await zstdReady;
    folder = await temporaryDirectory('e2e-report');
    const store = join(folder.path, 'sample', '.hg', 'store');
    hg(folder.path, ['init', 'sample']);
    const history = { revisions, files: 300, longestChain: 400, mergeEvery: 25 } as const;
    writeManifestHistory(join(store, '00manifest.i'), { ...history, engine: 'zstd' });
    writeSyntheticIndex(join(store, 'many.i'), many, entryOf);
    await writeFile(join(store, 'broken.i'), 'this is no revlog');
    await makePack(folder.path, join(store, 'sample.pack'));
    workbench = await sharedWorkbench(store);
    await workbench.openContainer('Deltascope');
    await workbench.openContainer('Explorer');
  });
  explainFailures(() => workbench);
  after(() => folder.remove());

  const openFile = async (name: string, selector: string): Promise<Frame> => {
    await workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).dblclick();
    return workbench.webview(selector, 60_000);
  };
  const heading = (page: Frame) => page.locator('.chain h3').textContent();

  it('says what this is and whether it is healthy, and draws its pictures', async () => {
    const page = await openFile('00manifest.i', '.grid-row');
    assert.match((await page.locator('.verdict').textContent()) ?? '', /could be better|Healthy/);
    const figures = await page.locator('.figures').textContent();
    assert.match(figures ?? '', /Revisions\s*4,000/);
    assert.deepEqual(await coloursOfPictures(page), [true, true, true]);
    for (const picture of await page.locator('.picture').all()) {
      assert.match((await picture.getAttribute('aria-label')) ?? '', /\d/);
    }
    // What axe itself does to the page later is not meant.
    assert.deepEqual(
      workbench.console.filter((line) => line.includes('Content Security Policy')),
      [],
    );
    for (const theme of shownThemes) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`report-${theme}`);
      assert.deepEqual(await violations(page), []);
    }
  });

  it('shows the chain of a revision, and what reading it costs', async () => {
    const page = await openFile('00manifest.i', '.grid-row');
    await page.locator('.rows').scrollIntoViewIfNeeded();
    await page.locator('.grid-row').nth(5).locator('.cell').first().click();
    assert.equal(await heading(page), 'Revision 5');
    const links = await page.locator('.chain-link').count();
    assert.match(
      (await page.locator('.chain').textContent()) ?? '',
      new RegExp(`${links - 1} deltas.*in\\s+\\d+\\s+read`, 's'),
    );
    await page.locator('.chain-link').first().hover();
    assert.match((await page.locator('.link-detail').textContent()) ?? '', /Revision 0 · base · .*B · zstd/);
    await workbench.screenshot('report-chain');
  });

  it('is reached by the keyboard alone', async () => {
    const page = await openFile('00manifest.i', '.grid-row');
    const { keyboard } = workbench.page;
    await page.locator('h1').click();
    const reached = await tabThrough(page, workbench);
    for (const what of ['option', 'filter', 'export', 'gridcell'])
      assert.ok(reached.includes(what), `${what}: ${reached.join()}`);
    await page.locator('[role=columnheader]').first().focus();
    for (let row = 0; row < 8; row++) await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    assert.equal(await heading(page), 'Revision 7');
    await keyboard.press('Control+c');
    await workbench.page.waitForTimeout(300);
    const copied = JSON.parse(await workbench.page.evaluate(() => navigator.clipboard.readText())) as { rev: number };
    assert.equal(copied.rev, 7);
    await keyboard.press('Control+End');
    await page.locator(`[data-place="${revisions - 1}"]`).waitFor();
    await keyboard.press('Enter');
    assert.equal(await heading(page), `Revision ${(revisions - 1).toLocaleString('en-US')}`);
    await page.locator('.chain-link[tabindex="0"]').focus();
    await keyboard.press('Home');
    await keyboard.press('Enter');
    assert.match((await page.locator('.chain').textContent()) ?? '', /Stored whole/);
  });

  it('keeps what was chosen while it is hidden, and when the window is loaded again', async () => {
    const page = await openFile('00manifest.i', '.grid-row');
    await page.locator('#filter input').fill('chainlen>300');
    await page.locator('[data-key=compsize]').click();
    await page.locator('.grid-row').first().locator('.cell').first().click();
    await page.locator('.count', { hasNotText: '4,000 of 4,000' }).waitFor();
    const chosen = await chosenIn(page);
    assert.match(chosen.count, /^[\d,]+ of 4,000$/);
    await openFile('sample.pack', '.cell.name');
    assert.deepEqual(await chosenIn(await openFile('00manifest.i', '[data-key=compsize]')), chosen);
    await workbench.runCommand('Developer: Reload Window');
    await workbench.page.waitForEvent('load');
    await workbench.ready();
    await workbench.openContainer('Explorer');
    assert.deepEqual(await chosenIn(await openFile('00manifest.i', '[data-key=compsize]')), chosen);
  });

  it('sorts and filters a million revisions, and tells how fast', async () => {
    const page = await openFile('many.i', '.grid-row');
    await page.locator('.count', { hasText: '1,000,000 of 1,000,000' }).waitFor({ timeout: 60_000 });
    await workbench.screenshot('report-million');
    for (const key of ['compsize', 'chainratio', 'chainlen', 'extradist']) {
      // The third click would leave the order as it is in the file.
      const taken = await leastOf(2, () => timeOf(page, `document.querySelector('[data-key=${key}]').click()`));
      console.log(`      sorting by ${key}: ${taken.toFixed(0)} ms (goal 100)`);
      assert.match((await page.locator(`[data-key=${key}]`).getAttribute('aria-sort')) ?? '', /^(a|de)scending$/);
    }
    for (const filter of ['chainlen>100', 'deltatype=p2', 'compsize>=100 chainratio<0.9', '']) {
      const taken = await leastOf(3, () => timeOfFilter(page, filter));
      console.log(`      filtering by "${filter}": ${taken.toFixed(0)} ms (goal 100)`);
      const count = (await page.locator('.count').textContent()) ?? '';
      assert.equal(count === '1,000,000 of 1,000,000', filter === '', count);
    }
  });

  it('shows a Git pack in the same way', async () => {
    const page = await openFile('sample.pack', '.cell.name');
    assert.match((await page.locator('.figures').textContent()) ?? '', /Objects\s*\d/);
    await page.locator('#filter input').fill('kind=blob depth>0');
    await page.locator('.grid-row').first().locator('.cell').first().click();
    assert.match((await page.locator('.chain').textContent()) ?? '', /A whole text and \d+ delta/);
    await workbench.screenshot('report-pack');
    assert.deepEqual(await violations(page), []);
  });

  it('says why something cannot be shown, and what to do', async () => {
    const page = await openFile('broken.i', '.failure');
    assert.match((await page.locator('.failure').textContent()) ?? '', /no revlog|version/i);
    await workbench.screenshot('report-broken');
  });
});

/** Whether something is drawn on the canvas of each picture. */
function coloursOfPictures(page: Frame): Promise<boolean[]> {
  return page.locator('.picture canvas').evaluateAll((canvases) =>
    (canvases as HTMLCanvasElement[]).map((canvas) => {
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      const colours = new Set<string>();
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200) colours.add(data.slice(at, at + 3).join());
      return colours.size > 1;
    }),
  );
}

/** What the Tab key stops at, from where the focus is. */
async function tabThrough(page: Frame, workbench: Workbench): Promise<string[]> {
  const stops: string[] = [];
  for (let press = 0; press < 30; press++) {
    await workbench.page.keyboard.press('Tab');
    stops.push(
      await page.evaluate(() => {
        const element = document.activeElement;
        if (element?.tagName === 'VSCODE-BUTTON') return 'export';
        if (element?.id === 'filter') return 'filter';
        return element?.getAttribute('role') ?? element?.tagName ?? '';
      }),
    );
  }
  return stops;
}

interface Chosen {
  count: string;
  filter: string;
  sorted: string | null;
  picked: string | null;
}

async function chosenIn(page: Frame): Promise<Chosen> {
  await page.locator('.chain h3').waitFor();
  return {
    count: ((await page.locator('.count').textContent()) ?? '').trim(),
    filter: await page.locator('#filter input').inputValue(),
    sorted: await page.locator('[data-key=compsize]').getAttribute('aria-sort'),
    picked: await page.locator('.chain h3').textContent(),
  };
}

/** Milliseconds from doing something until it is on the screen. */
function timeOf(page: Frame, action: string): Promise<number> {
  return page.evaluate(`(async () => {
    const begin = performance.now();
    ${action};
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begin;
  })()`);
}

function timeOfFilter(page: Frame, filter: string): Promise<number> {
  return timeOf(
    page,
    `const field = document.querySelector('#filter'); field.value = ${JSON.stringify(filter)}; field.dispatchEvent(new Event('input'))`,
  );
}

async function leastOf(times: number, measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < times; time++) least = Math.min(least, await measure());
  return least;
}

/** Two branches at work, with merges, and chains of up to 200 links. */
function entryOf(rev: number) {
  const place = rev % 200;
  const isMerge = rev % 20 === 0 && rev > 2;
  return {
    p1: rev - 1,
    p2: isMerge ? rev - 2 : -1,
    base: place === 0 ? rev : isMerge ? rev - 2 : rev - 1,
    chunkLength: place === 0 ? 9000 : 60 + ((rev * 7919) % 300),
    textLength: 20_000 + (rev % 977),
  };
}

async function makePack(folder: string, path: string): Promise<void> {
  const source = initRepository(join(folder, 'source.git'));
  await fastImport(source, sourceHistory({ commits: 150, files: 30 }));
  await writeFile(path, git(source, ['pack-objects', '--stdout', '--all', '-q', '--delta-base-offset'], ''));
}
