// `npm run package`: makes artifacts/deltascope-VERSION.vsix, one file for every platform, since nothing in it is native.
import { createVSIX } from '@vscode/vsce';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../test/fixtures/hg';
import { projectRoot } from '../test/testbed/cachedInstallation';
import { thirdPartyNotices } from './notices';
import { runNode } from './stage';

type Manifest = { version: string; files: string[] } & Record<string, unknown>;

/** What only those need who work on the extension. */
const onlyForDevelopment = ['private', 'bin', 'scripts', 'files', 'dependencies', 'devDependencies'];

/** Builds the extension for publishing and packs it, apart from what `npm run build` has made. Gives the file's path. */
async function makePackage(): Promise<string> {
  await using folder = await temporaryDirectory('package');
  const stage = join(folder.path, 'deltascope');
  const inputs = join(folder.path, 'inputs');
  const build = ['esbuild.mjs', '--production', '--outdir', join(stage, 'dist'), '--inputs', inputs];
  if ((await runNode(build, 2)) !== 0) throw new Error('The build failed');

  const manifest = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as Manifest;
  const bundled = (await readFile(inputs, 'utf8')).trim().split('\n');
  await writeFile(join(stage, 'THIRD-PARTY-NOTICES.txt'), await thirdPartyNotices(projectRoot, bundled));
  for (const file of manifest.files) await cp(join(projectRoot, file), join(stage, file), { recursive: true });
  await writeFile(join(stage, 'package.json'), JSON.stringify(published(manifest), undefined, 2));

  const path = join(projectRoot, 'artifacts', `deltascope-${manifest.version}.vsix`);
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await createVSIX({
    cwd: stage,
    packagePath: path,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
  return path;
}

function published(manifest: Manifest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(manifest).filter(([key]) => !onlyForDevelopment.includes(key)));
}

async function main(): Promise<void> {
  const path = await makePackage();
  console.log(`${path}: ${((await stat(path)).size / 1e6).toFixed(2)} MB`);
}

void main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
