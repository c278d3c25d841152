import { createHash } from 'node:crypto';
import { copyFile, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { temporaryDirectory } from '../fixtures/hg';
import { cachedInstallation, cacheFolder } from './cachedInstallation';
import { run } from './run';
import { browser, compilers, ensurePrograms, findProgram, git, mercurial } from './systemPrograms';

/** The real VS Code that tests and the demo run in, as installed here. */
export interface Testbed {
  /** The Node that the editor's server and extension host run on. */
  node: string;
  /** The folder of VS Code's server: `out/server-main.js` is in it. */
  editor: string;
}

/** The native modules without which the editor writes no logs and does not end with its parent. */
const nativeModules = ['@vscode/spdlog', '@vscode/native-watchdog'];

const listening = (line: string) => console.log(line);

/** Installs what is missing of VS Code, some 800 MB, once for each lock file. Throws with what a person must do. */
export async function installEditor(say = listening): Promise<Testbed> {
  const lockFile = await readFile(join(__dirname, 'package-lock.json'));
  const name = createHash('sha256').update(lockFile).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), name);
  await cachedInstallation(folder, async (unfinished) => {
    await ensurePrograms(compilers, say);
    say('Installing VS Code for the demo and the tests (once, about a minute) ...');
    await fillWithEditor(unfinished);
  });
  return { node: nodeProgram(folder), editor: editorFolder(folder) };
}

/** Installs what is missing of all that tests need. Throws with what a person must do. */
export async function setUp(say = listening): Promise<Testbed & { browser: string }> {
  await ensurePrograms([mercurial, git, browser], say);
  const testbed = await installEditor(say);
  return { ...testbed, browser: await browserProgram() };
}

/** The browser's program. Throws where there is none. */
export async function browserProgram(): Promise<string> {
  const program = await findProgram(browser);
  if (program === undefined) throw new Error(`No browser: ${browser.names.join(', ')} do not answer`);
  return program;
}

async function fillWithEditor(folder: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(__dirname, file), join(folder, file));
  // VS Code asks for another Node than the one that runs this; its install scripts would build what is not needed.
  const plainly = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await npm(['ci', '--force', ...plainly], { cwd: folder });
  const node = nodeProgram(folder);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  const cwd = editorFolder(folder);
  await npm(['install', '--omit=dev', ...plainly], { cwd, env });
  await using headers = await temporaryDirectory('headers');
  const nodeFolder = join(headers.path, 'node');
  // The headers to compile with come beside the program, so that nothing has to be fetched from elsewhere. They are reached by
  // a link, because compilers are handed their folder unquoted.
  await symlink(dirname(dirname(node)), nodeFolder, 'junction');
  await npm(['rebuild', ...nativeModules], { cwd, env: { ...env, npm_config_nodedir: nodeFolder } });
}

function editorFolder(folder: string): string {
  return join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
}

function nodeProgram(folder: string): string {
  if (process.platform === 'linux') return join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error(
    `VS Code for the tests needs Node 24 or later; this is ${process.version}. Install it and try again.`,
  );
}

/** Runs the npm that belongs to the running Node. */
async function npm(args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<void> {
  const windows = process.platform === 'win32';
  await run(windows ? 'npm.cmd' : 'npm', [...args, '--loglevel', 'error'], { ...options, shell: windows });
}
