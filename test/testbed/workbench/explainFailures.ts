import type { Workbench } from './workbench';

/** After each test of the suite that failed: keeps a picture of the window, and prints what it says. */
export function explainFailures(workbench: () => Workbench): void {
  afterEach(async function () {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    const name = test.fullTitle().replaceAll(/\W+/g, '-');
    const picture = await workbench().screenshot(`failed-${name}`);
    console.log([`      the window is in ${picture}, and says:`, ...(await workbench().words())].join('\n        '));
  });
}
