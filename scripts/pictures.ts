// `npm run pictures`: cuts the pictures of the walkthrough out of those that the end-to-end tests have kept, which is in
// every theme after `npm run test:soak`.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../test/testbed/cachedInstallation';
import { browserProgram } from '../test/testbed/setup';
import { launchBrowser } from '../test/testbed/workbench/workbench';

/** Of each step: the picture that is kept, what of it is shown, in pixels, and how many times as large. */
const steps = {
  clone: { from: 'clone-done', scale: 2, cut: { x: 49, y: 414, width: 298, height: 136 } },
  chains: { from: 'chains-tree', scale: 2, cut: { x: 49, y: 70, width: 298, height: 230 } },
  compare: { from: 'compare', scale: 1, cut: { x: 354, y: 180, width: 920, height: 480 } },
  unpack: { from: 'unpack-report', scale: 1, cut: { x: 354, y: 210, width: 920, height: 470 } },
} as const;

async function cutAll(): Promise<void> {
  const target = join(projectRoot, 'media', 'walkthrough');
  await mkdir(target, { recursive: true });
  const browser = await launchBrowser(await browserProgram());
  try {
    const page = await browser.newPage({ viewport: { width: 2560, height: 1600 } });
    for (const [step, { from, scale, cut }] of Object.entries(steps)) {
      for (const theme of ['light', 'dark']) {
        const kept = await readFile(join(projectRoot, 'artifacts', 'screenshots', `${from}-${theme}.png`));
        const source = `data:image/png;base64,${kept.toString('base64')}`;
        await page.setContent(`<body style="margin: 0"><img src="${source}" style="display: block; zoom: ${scale}">`);
        const [x, y, width, height] = [cut.x, cut.y, cut.width, cut.height].map((length) => length * scale);
        await page.screenshot({ path: join(target, `${step}-${theme}.png`), clip: { x, y, width, height } });
      }
    }
  } finally {
    await browser.close();
  }
}

void cutAll().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
