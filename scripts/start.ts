// `npm start`: builds the extension and opens it in an editor, with a repository to try it on.
//   --check     starts it all, asks both addresses for an answer, and ends
//   --built     takes what was built before
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Engine } from '../src/engine/engine';
import { unattended } from '../src/engine/io/operation';
import { temporaryDirectory } from '../test/fixtures/hg';
import { projectRoot } from '../test/testbed/cachedInstallation';
import { EditorServer } from '../test/testbed/editorServer';
import { installEditor } from '../test/testbed/setup';
import { findProgram } from '../test/testbed/systemPrograms';
import { makeSampleRepository } from './sampleRepository';
import { runNode } from './stage';

/** What runs until it is stopped: the last that was started is stopped first. */
type Running = AsyncDisposable[];

/** An editor that was opened: the address to open in a browser, or nothing where its window is on the screen. */
interface OpenedEditor {
  address?: string;
  description: string;
}

async function start(running: Running, built: boolean): Promise<{ editor: OpenedEditor; sample: string }> {
  if (!built && (await runNode(['esbuild.mjs'], 5)) !== 0) throw new Error('The build failed');
  const folder = await temporaryDirectory('demo');
  running.push(folder);
  const sample = await serveSample(join(folder.path, 'sample'), running);
  const workspace = join(folder.path, 'workspace');
  await makeWorkspace(workspace, sample);
  return { editor: await openEditor(workspace, folder.path, running), sample };
}

/** Makes the sample and serves it, both by our own engine. Gives its address. */
async function serveSample(root: string, running: Running): Promise<string> {
  say('Making a sample repository ...');
  await makeSampleRepository(root);
  const engine = new Engine(join(projectRoot, 'dist', 'worker.js'));
  running.push({ [Symbol.asyncDispose]: () => engine.dispose() });
  const server = await engine.serve({ repositories: [{ root }] }, unattended);
  running.push(server);
  return server.repositories[0].address;
}

async function makeWorkspace(path: string, sample: string): Promise<void> {
  await mkdir(path);
  await writeFile(
    join(path, 'README.md'),
    `# Deltascope's demo\n\nPress F1, pick *Deltascope: Clone repository (stream)*, and give it this address:\n\n    ${sample}\n\n` +
      'This folder is removed when `npm start` ends. Clone elsewhere what you want to keep.\n',
  );
}

async function openEditor(workspace: string, folder: string, running: Running): Promise<OpenedEditor> {
  const code = await findProgram({ purpose: 'VS Code', names: ['code'], packages: ['code'] });
  if (code !== undefined && hasScreen()) {
    openOnScreen(code, workspace, folder);
    return { description: `a window of ${code}` };
  }
  const server = await EditorServer.start(await installEditor(say), {
    extensions: [projectRoot],
    settings: { 'workbench.startupEditor': 'readme' },
  });
  running.push(server);
  const address = server.address({ folder: workspace });
  return { address, description: address };
}

function hasScreen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined;
}

function openOnScreen(code: string, workspace: string, folder: string): void {
  // VS Code does not start for root in any other way.
  const asRoot =
    process.platform === 'linux' && process.getuid?.() === 0
      ? ['--no-sandbox', '--user-data-dir', join(folder, 'editor')]
      : [];
  const windows = process.platform === 'win32';
  const args = [`--extensionDevelopmentPath=${projectRoot}`, '--new-window', ...asRoot, workspace];
  spawn(windows ? `"${code}"` : code, windows ? args.map((arg) => `"${arg}"`) : args, {
    stdio: 'inherit',
    shell: windows,
  }).on('error', (error) => say(`${code}: ${error.message}`));
}

/** Throws unless what was started answers. */
async function checkAnswers(editor: OpenedEditor, sample: string): Promise<void> {
  if (editor.address !== undefined) {
    const page = await fetch(editor.address);
    if (!page.ok || !(await page.text()).includes('workbench')) throw new Error(`No editor at ${editor.address}`);
  }
  const capabilities = await fetch(`${sample}?cmd=capabilities`);
  if (!capabilities.ok || !(await capabilities.text()).includes('getbundle'))
    throw new Error(`No repository at ${sample}`);
}

function tellWhatToDo(editor: OpenedEditor, sample: string): void {
  say(`
Editor:             ${editor.description}
Sample repository:  ${sample}

1. ${editor.address === undefined ? 'Go to the window that has opened.' : "Open the editor's address in a browser."}
2. Press F1, pick "Deltascope: Clone repository (stream)", and paste the address of the sample repository.
3. Choose a folder, watch the status bar, and open the clone. Ctrl-C here stops it all and removes the demo.
`);
}

function say(line: string): void {
  console.log(line);
}

/** Resolved with the exit code when somebody ends this program from outside. */
function interruption(): Promise<number> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(130));
    process.once('SIGTERM', () => resolve(143));
    process.once('SIGHUP', () => resolve(129));
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, built: { type: 'boolean', default: false } },
  });
  const interrupted = interruption();
  const running: Running = [];
  try {
    const started = await Promise.race([start(running, values.built), interrupted]);
    if (typeof started === 'number') return started;
    if (values.check) await checkAnswers(started.editor, started.sample);
    tellWhatToDo(started.editor, started.sample);
    return values.check ? 0 : await interrupted;
  } finally {
    for (const one of running.reverse()) await one[Symbol.asyncDispose]();
  }
}

void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
