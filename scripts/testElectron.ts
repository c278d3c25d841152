// `npm run test:electron`: the tests of `test/editor` in a VS Code for the desktop, which @vscode/test-electron downloads.
import { runTests } from '@vscode/test-electron';
import { join } from 'node:path';
import { temporaryDirectory } from '../test/fixtures/hg';
import { projectRoot } from '../test/testbed/cachedInstallation';
import { testModule } from '../test/testbed/inEditor';
import { runNode } from './stage';

async function main(): Promise<void> {
  for (const script of ['esbuild.mjs', join('test', 'editor', 'build.mjs')]) {
    if ((await runNode([script], 2)) !== 0) throw new Error(`${script} failed`);
  }
  await using workspace = await temporaryDirectory('workspace');
  process.exitCode = await runTests({
    extensionDevelopmentPath: projectRoot,
    extensionTestsPath: testModule,
    launchArgs: [workspace.path, '--disable-extensions', '--disable-workspace-trust'],
  });
}

void main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
