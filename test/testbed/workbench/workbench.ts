import { mkdir } from 'node:fs/promises';
import { casesOf } from '../../fixtures/howMuch';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Frame, type Locator, type Page } from 'playwright-core';
import { projectRoot } from '../cachedInstallation';
import { EventLoopProbe } from '../eventLoopProbe';
import { EditorServer, languageQuery, type Settings } from '../editorServer';
import { setUp } from '../setup';
import { Notifications } from './notifications';
import { exactly, QuickInput } from './quickInput';

/** The editor's own themes: their names in the settings and in the picker, and the class of a window that has them. */
const themes = {
  light: { setting: 'Light 2026', label: 'Light 2026', shade: 'vs' },
  dark: { setting: 'Dark 2026', label: 'Dark 2026', shade: 'vs-dark' },
  'hc-dark': { setting: 'Default High Contrast', label: 'Dark High Contrast', shade: 'hc-black' },
  'hc-light': { setting: 'Default High Contrast Light', label: 'Light High Contrast', shade: 'hc-light' },
} as const;

export type Theme = keyof typeof themes;
/** What every window begins with. */
const usualSettings: Settings = { 'workbench.colorTheme': themes.dark.setting };
/** What pictures are taken in: every theme in the long tests. */
export const shownThemes = casesOf(Object.keys(themes) as Theme[], ['light', 'hc-dark']);

export interface WorkbenchOptions {
  /** The folder to open; none opens an empty window. */
  folder?: string;
  /** `.vsix` files to install in place of this extension as it was built. */
  packages?: readonly string[];
  settings?: Settings;
}

/** A real VS Code window, and what a person does in it. */
export class Workbench implements AsyncDisposable {
  /** What pages and webviews have printed to the console since the folder was opened. */
  readonly console: string[] = [];
  readonly quickInput: QuickInput;
  readonly notifications: Notifications;

  private constructor(
    readonly server: EditorServer,
    private readonly browser: Browser,
    private readonly context: BrowserContext,
    readonly page: Page,
    /** Measures the extension host. */
    readonly probe: EventLoopProbe,
  ) {
    this.quickInput = new QuickInput(page);
    this.notifications = new Notifications(page);
    page.on('console', (message) => this.console.push(message.text()));
  }

  /** Starts an editor with this extension in it, and waits until it can be used. */
  static async open({ folder, packages = [], settings }: WorkbenchOptions = {}): Promise<Workbench> {
    const testbed = await setUp();
    const probe = await EventLoopProbe.create();
    const server = await EditorServer.start(testbed, {
      settings: { ...usualSettings, ...settings },
      extensions: packages.length > 0 ? [probe.extension] : [projectRoot, probe.extension],
      packages,
      env: probe.env,
      forgetsAfter: 1,
    });
    let browser: Browser | undefined;
    try {
      browser = await launchBrowser(testbed.browser);
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await context.addInitScript({ content: speak });
      const workbench = new Workbench(server, browser, context, await context.newPage(), probe);
      await workbench.openFolder(folder);
      return workbench;
    } catch (error) {
      await browser?.close();
      await server.stop();
      throw error;
    }
  }

  /** Opens another folder in the window, or none, as if its address had been typed: in seconds, where a new editor takes many. */
  async openFolder(folder?: string, language?: string): Promise<void> {
    this.console.length = 0;
    await this.page.goto(this.server.address({ folder, language }));
    await this.ready();
  }

  /** Goes back to the usual settings, with these beside them. */
  async changeSettings(settings: Settings = {}): Promise<void> {
    await this.server.changeSettings({ ...usualSettings, ...settings });
  }

  /** Waits until the window is drawn and its extensions are known; also after it has opened another folder. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: 60_000 });
    await this.page.locator('.monaco-workbench .activitybar .action-item').first().waitFor();
    await this.page.locator('.statusbar-item[id="status.host"]:not([aria-label*="Opening Remote"])').waitFor();
  }

  /** Picks a command from the palette by its whole title, such as `Deltascope: Pull`. */
  async runCommand(title: string): Promise<void> {
    // The palette lists what was known when it was opened; an extension's commands may come a moment later.
    for (let attempt = 1; ; attempt++) {
      await this.quickInput.openPalette();
      try {
        // What takes the focus meanwhile closes it.
        await this.quickInput.type(`>${title}`, 3_000);
        await this.quickInput.pick(title, 3_000);
        return;
      } catch (error) {
        if (attempt === 10) throw error;
        await this.quickInput.cancel();
      }
    }
  }

  /** The item of the status bar whose text or spoken name matches. */
  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text });
  }

  /** Waits until such an item is there, and gives its text. */
  async waitForStatusBar(text: string | RegExp, timeout = 30_000): Promise<string> {
    const item = this.statusBarItem(text).first();
    await item.waitFor({ timeout });
    return (await item.textContent()) ?? '';
  }

  /** The percentages that an item of the status bar shows, until there is no such item. */
  async percentagesOf(text: RegExp, onEach: (percent: number) => Promise<unknown>): Promise<number[]> {
    await this.waitForStatusBar(text);
    const item = this.statusBarItem(text).first();
    const seen: number[] = [];
    while ((await item.count()) > 0) {
      const words = await item.textContent({ timeout: 1000 }).catch(() => null);
      const percent = /(\d+)%/.exec(words ?? '');
      // A checkout counts from 0 again; its text says so.
      if (percent === null || words?.includes('Check out') === true) continue;
      if (seen.at(-1) === Number(percent[1])) continue;
      seen.push(Number(percent[1]));
      await onEach(Number(percent[1]));
    }
    return seen;
  }

  /** Shows a container of the activity bar, by its title. */
  async openContainer(title: string): Promise<void> {
    const tab = this.page
      .locator('.activitybar [role="tab"]')
      .filter({ has: this.page.locator(`.action-label[aria-label^="${title}"]`) });
    await tab.waitFor();
    if ((await tab.getAttribute('aria-expanded')) !== 'true') await tab.click();
    // What was asked for before may still be on its way.
    await this.page.locator('.part.sidebar .title-label', { hasText: exactly(title) }).waitFor();
  }

  /** A view of the side bar, by its title. */
  view(title: string): Locator {
    return this.page
      .locator('.pane')
      .filter({ has: this.page.locator('.pane-header .title', { hasText: exactly(title) }) });
  }

  /** The rows of a tree of the side bar, as far as they are on screen. */
  treeRows(viewTitle: string): Locator {
    return this.view(viewTitle).locator('[role="treeitem"]');
  }

  /** The one row of a tree whose text matches. */
  treeRow(viewTitle: string, text: string | RegExp): Locator {
    return this.treeRows(viewTitle).filter({ hasText: text }).first();
  }

  /** The document of the webview in front, which is a frame inside a frame, once it has an element that `selector` finds. */
  async webview(selector = 'body', timeout = 30_000): Promise<Frame> {
    const end = Date.now() + timeout;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) {
        if (!frame.url().includes('fake.html')) continue;
        const there = await frame
          .locator(selector)
          .first()
          .isVisible()
          .catch(() => false);
        if (there) return frame;
      }
      await this.page.waitForTimeout(100);
    }
    throw new Error(
      `No webview with ${selector}; frames: ${this.page
        .frames()
        .map((frame) => frame.url())
        .join(' ')}`,
    );
  }

  /** Changes the colour theme, and waits until it is on screen. */
  async setTheme(theme: Theme): Promise<void> {
    await this.runCommand('Preferences: Color Theme');
    await this.quickInput.waitFor('Select Color Theme');
    await this.quickInput.type(themes[theme].label);
    await this.quickInput.pick(themes[theme].label);
    await this.page.locator(`.monaco-workbench.${themes[theme].shade}`).waitFor();
  }

  /** What the window says at the moment where it speaks of what happens, a line each. */
  async words(): Promise<string[]> {
    const places = ['.notification-list-item', '.monaco-dialog-box', '.quick-input-widget:visible', '.statusbar-item'];
    const said = await Promise.all(places.map((place) => this.page.locator(place).allInnerTexts()));
    return said.flat().flatMap((text) => text.replaceAll(/\s+/g, ' ').trim() || []);
  }

  /** Picks from the menu that `open` opens; a menu that loses the focus closes, and is opened again. */
  async pickFromMenu(open: () => Promise<unknown>, name: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await open();
      try {
        // The menu takes clicks only after a moment, keys at once.
        await this.page.getByRole('menuitem', { name }).hover({ timeout: 5_000 });
        await this.page.keyboard.press('Enter');
        return;
      } catch (error) {
        if (attempt === 5) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Keeps a picture of the window as `artifacts/screenshots/NAME.png`, and gives its path. */
  async screenshot(name: string): Promise<string> {
    const folder = join(projectRoot, 'artifacts', 'screenshots');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${name}.png`);
    await this.page.screenshot({ path, animations: 'disabled' });
    return path;
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.browser.close();
    await this.server.stop();
    await this.probe[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Runs in the browser before the editor's own scripts, and tells them the language of the window. A language pack would; without
 * one the editor's own words stay English, and extensions speak that language.
 */
const speak = `
  const language = new URLSearchParams(location.search).get('${languageQuery}');
  if (language !== null) Object.defineProperty(globalThis, '_VSCODE_NLS_LANGUAGE', { get: () => language, set: () => undefined });
`;

/** A browser without a screen, quiet, that may run as root. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  });
}
