import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runHg, temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { projectRoot } from '../testbed/cachedInstallation';
import { browserProgram } from '../testbed/setup';
import { launchBrowser } from '../testbed/workbench/workbench';

describe('npm start', () => {
  let folder: TemporaryDirectory;
  before(async () => (folder = await temporaryDirectory('start')));
  after(() => folder.remove());

  it('opens an editor, serves a sample that hg can clone, and leaves nothing when it is interrupted', async () => {
    const program = await startProgram(folder.path);
    const editor = await program.line(/^Editor: +(\S.*)$/m);
    const sample = await program.line(/^Sample repository: +(\S+)$/m);
    if (editor.startsWith('http')) await lookAt(editor);
    const clone = join(folder.path, 'clone');
    const cloned = await runHg(['clone', '-q', sample, clone]);
    assert.equal(cloned.code, 0, cloned.stderr);
    const merges = await runHg(['log', '-R', clone, '-r', 'merge()', '-T', 'x']);
    assert.ok(merges.stdout.length > 30);
    assert.equal(
      (await runHg(['manifest', '-R', clone, '-v'])).stdout.toString().match(/^(755 \*|644 @) /gm)?.length,
      7,
    );

    assert.equal(await program.interrupt(), 130);
    assert.deepEqual(await readdir(join(folder.path, 'tmp')), []);
    await assert.rejects(fetch(sample));
  });

  it('can check itself', async () => {
    const program = await startProgram(folder.path, '--check');
    assert.equal(await program.end(), 0);
    await program.line(/Clone repository \(stream\)/);
    assert.deepEqual(await readdir(join(folder.path, 'tmp')), []);
  });
});

/** Opens the editor's address as a person would: the extension is there, and the demo's README. */
async function lookAt(address: string): Promise<void> {
  const browser = await launchBrowser(await browserProgram());
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(address);
    await page.locator('.activitybar .action-label[aria-label^="Deltascope"]').waitFor({ timeout: 60_000 });
    await page.locator('.tab[aria-label*="README.md"]').waitFor();
    const preview = page.frameLocator('iframe.webview').frameLocator('iframe');
    await preview.getByText('Clone repository (stream)').waitFor({ timeout: 60_000 });
    const folder = join(projectRoot, 'artifacts', 'screenshots');
    await page.screenshot({ path: join(folder, 'npm-start.png') });
  } finally {
    await browser.close();
  }
}

interface Program {
  /** Waits until this was printed, and gives the first group, or the whole. */
  line(pattern: RegExp): Promise<string>;
  interrupt(): Promise<number | null>;
  end(): Promise<number | null>;
}

async function startProgram(folder: string, ...args: string[]): Promise<Program> {
  const temporary = join(folder, 'tmp');
  if (!existsSync(temporary)) await mkdir(temporary);
  const child = spawn(process.execPath, ['--import', 'tsx', join('scripts', 'start.ts'), '--built', ...args], {
    cwd: projectRoot,
    // tsx keeps a cache of its own in the temporary folder.
    env: { ...process.env, TMPDIR: temporary, TSX_DISABLE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let look: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
      look();
    });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    line: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => {
          const found = pattern.exec(printed);
          if (found !== null) resolve(found.at(1) ?? found[0]);
        };
        look();
        void ended.then((code) => reject(new Error(`npm start ended with ${code}: ${printed}`)));
      }),
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
    end: () => ended,
  };
}
