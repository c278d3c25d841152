import { join } from 'node:path';
import { format } from 'node:util';
import { testLineMark } from '../editor/testLineMark';
import { temporaryDirectory } from '../fixtures/hg';
import { projectRoot } from './cachedInstallation';
import { EditorServer } from './editorServer';
import { setUp } from './setup';
import { launchBrowser } from './workbench/workbench';

/** The module that `npm run build` and `test/editor/build.mjs` make of the tests inside the editor. */
export const testModule = join(projectRoot, 'dist', 'test', 'index.js');

export interface InEditorRun {
  /** Passed on to the extension host. */
  env?: NodeJS.ProcessEnv;
  /** Gets each line that the tests print. */
  print: (line: string) => void;
  /** When to give up, in milliseconds. */
  timeout: number;
}

/** Runs the tests of `test/editor` inside the extension host of a real VS Code. Gives their exit code: 0 when all passed. */
export async function runTestsInEditor({ env, print, timeout }: InEditorRun): Promise<number> {
  const testbed = await setUp();
  await using folder = await temporaryDirectory('workspace');
  await using server = await EditorServer.start(testbed, { forTests: true, env });
  const ofTheEditor: string[] = [];
  const ofTheTests: string[] = [];
  const browser = await launchBrowser(testbed.browser);
  try {
    const page = await browser.newPage();
    const exit = new Promise<number>((resolve, reject) => {
      setTimeout(
        () => reject(new Error(`The tests in the editor took longer than ${timeout / 1000} s`)),
        timeout,
      ).unref();
      page.on('crash', () => reject(new Error('The window of the tests has crashed')));
      void page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
    });
    await page.exposeFunction('codeAutomationLog', (_type: string, args: unknown[]) => {
      const line = format(...args);
      const marked = line.startsWith(testLineMark);
      (marked ? ofTheTests : ofTheEditor).push(line);
      if (marked) print(line.slice(testLineMark.length));
    });
    await page.goto(server.address({ folder: folder.path, tests: { extension: projectRoot, module: testModule } }));
    const code = await exit;
    // Where no test has run, the reason is among the editor's own words.
    if (ofTheTests.length === 0) print(`The editor's console ended with:\n  ${ofTheEditor.slice(-20).join('\n  ')}`);
    return code;
  } finally {
    await browser.close();
  }
}
