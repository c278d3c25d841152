import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { run } from './run';
import type { Testbed } from './setup';

/** The editor's settings, as in `settings.json`. */
export type Settings = Record<string, unknown>;

/** Nothing that talks to the network by itself, greets, or stands in the way of a test. */
const quietSettings: Settings = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  // Looking for ports starts processes again and again, which holds the extension host while it is measured.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
  'remote.autoForwardPortsFallback': 0,
};

/** How an editor's server is started. */
export interface EditorServerOptions {
  settings?: Settings;
  /** Folders of extensions that are installed as they are: built, and run from where they stand. */
  extensions?: readonly string[];
  /** `.vsix` files to install first, as a person would. */
  packages?: readonly string[];
  /** Whether windows can be opened with `tests`. No message pops up in any window then, so people get a server without. */
  forTests?: boolean;
  /** After how many seconds a window that went away has its extension host ended; hours when not given. */
  forgetsAfter?: number;
  /** Added to the environment; the extension host inherits it. */
  env?: NodeJS.ProcessEnv;
  /** Gets what the server prints. */
  log?: (text: string) => void;
}

/** What a window's address names its language by. */
export const languageQuery = 'language';

/** What an editor window is opened with. */
export interface EditorWindow {
  /** The folder to open, an absolute path. */
  folder?: string;
  /** The display language, for a page that asks {@link languageQuery} for it; English when not given. */
  language?: string;
  /** Tests to run in the extension host: the folder of the extension under test, and a module with `run()`. */
  tests?: { extension: string; module: string };
}

/** VS Code's own server on a free loopback port, with settings and state of its own that go with it. */
export class EditorServer implements AsyncDisposable {
  private constructor(
    private readonly testbed: Testbed,
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** Starts a server, resolved as soon as it listens. */
  static async start(testbed: Testbed, options: EditorServerOptions = {}): Promise<EditorServer> {
    const folder = await mkdtemp(join(tmpdir(), 'deltascope-editor-'));
    try {
      await writeSettings(folder, options.settings ?? {});
      await linkExtensions(folder, options.extensions ?? []);
      for (const file of options.packages ?? []) await changeExtensions(testbed, folder, '--install-extension', file);
      const args = ['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--telemetry-level', 'off'];
      if (options.forTests === true) args.push('--enable-smoke-test-driver');
      if (options.forgetsAfter !== undefined) args.push('--reconnection-grace-time', String(options.forgetsAfter));
      const child = spawn(
        process.execPath,
        [
          ...[join(__dirname, 'guard.mjs'), testbed.node],
          join(testbed.editor, 'out', 'server-main.js'),
          ...args,
          '--accept-server-license-terms',
          ...['--server-data-dir', folder],
        ],
        // A group of its own, so that stopping can wait for the processes that it has started.
        {
          env: { ...environmentOf(folder), ...options.env },
          stdio: ['pipe', 'pipe', 'pipe'],
          detached: process.platform !== 'win32',
        },
      );
      const server = new EditorServer(testbed, child, folder, await listeningPort(child, options.log));
      return server;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The address that opens this window in a browser. */
  address(window: EditorWindow = {}): string {
    const { folder, language, tests } = window;
    const query = new URLSearchParams(folder === undefined ? { ew: 'true' } : { folder: pathOfUri(folder) });
    if (language !== undefined) query.set(languageQuery, language);
    if (tests !== undefined) {
      const here = `vscode-remote://localhost:${this.port}`;
      const payload = [
        ['extensionDevelopmentPath', here + pathOfUri(tests.extension)],
        ['extensionTestsPath', here + pathOfUri(tests.module)],
        ['skipWelcome', 'true'],
      ];
      query.set('payload', JSON.stringify(payload));
    }
    return `http://localhost:${this.port}/?${query.toString()}`;
  }

  /** Changes the settings to these and no others, for all windows that are open, and that will be. */
  async changeSettings(settings: Settings): Promise<void> {
    await writeSettings(this.folder, settings);
  }

  /** The folder of the installed extensions. */
  get extensions(): string {
    return join(this.folder, 'extensions');
  }

  /** The folder that everything in it takes for temporary files. */
  get temporary(): string {
    return process.platform === 'darwin' ? tmpdir() : this.folder;
  }

  /** Uninstalls an extension, by its publisher and name. */
  async uninstall(extension: string): Promise<void> {
    await changeExtensions(this.testbed, this.folder, '--uninstall-extension', extension);
  }

  /** Stops the server, its extension hosts with it, and removes what it kept. */
  async stop(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null && this.child.signalCode === null)
      await new Promise((resolve) => this.child.once('exit', resolve));
    // What still runs would write into the folder while it is removed.
    const end = Date.now() + 5_000;
    while (this.groupRuns() && Date.now() < end) await after(20);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private groupRuns(): boolean {
    if (process.platform === 'win32' || this.child.pid === undefined) return false;
    try {
      return process.kill(-this.child.pid, 0);
    } catch {
      return false;
    }
  }
}

/**
 * What the server has for an environment: a server started from a terminal of VS Code must not take itself for that one's
 * child, and its sockets and temporary files go with its folder.
 */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name));
  // The temporary folder of a Mac is so long that a socket in a folder of it would have too long a name.
  const temporary = process.platform === 'darwin' ? {} : { TMPDIR: folder, TEMP: folder, XDG_RUNTIME_DIR: folder };
  return { ...Object.fromEntries(inherited), ...temporary };
}

async function writeSettings(folder: string, settings: Settings): Promise<void> {
  const user = join(folder, 'data', 'User');
  await mkdir(user, { recursive: true });
  await writeFile(join(user, 'settings.json'), JSON.stringify({ ...quietSettings, ...settings }, undefined, 2));
  // What belongs to a machine is read from another place.
  const machine = join(folder, 'data', 'Machine');
  await mkdir(machine, { recursive: true });
  const own = Object.entries(settings).filter(([name]) => name.startsWith('deltascope.'));
  await writeFile(join(machine, 'settings.json'), JSON.stringify(Object.fromEntries(own)));
}

/** The server takes a linked folder for an installed extension, and writes its own list of them. */
async function linkExtensions(folder: string, extensions: readonly string[]): Promise<void> {
  const installed = join(folder, 'extensions');
  await mkdir(installed, { recursive: true });
  for (const extension of extensions) {
    const { publisher, name, version } = JSON.parse(await readFile(join(extension, 'package.json'), 'utf8')) as {
      publisher: string;
      name: string;
      version: string;
    };
    await symlink(extension, join(installed, `${publisher}.${name}-${version}`), 'junction');
  }
}

/** Installs or uninstalls with the editor's own program. */
async function changeExtensions({ node, editor }: Testbed, folder: string, ...change: string[]): Promise<void> {
  const args = [join(editor, 'out', 'server-main.js'), '--accept-server-license-terms', '--server-data-dir', folder];
  await run(node, [...args, ...change], { env: environmentOf(folder) });
}

function pathOfUri(path: string): string {
  return path.startsWith('/') ? path : `/${path.replaceAll('\\', '/')}`;
}

/** The port that the server says it listens on; throws with its words when it ends before. */
function listeningPort(child: ChildProcess, log: (text: string) => void = () => undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (bytes: Buffer) => {
      const text = bytes.toString();
      log(text);
      if (said.length < 64 * 1024) said += text;
      const port = /Extension host agent listening on (\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`The editor's server ended with ${code}: ${said}`)));
  });
}
