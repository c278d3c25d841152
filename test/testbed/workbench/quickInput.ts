import type { Locator, Page } from 'playwright-core';

/** The box at the top of the window: command palette, input boxes, quick picks, and the file dialogs of a remote window. */
export class QuickInput {
  readonly widget: Locator;
  /** Where text is typed. */
  readonly input: Locator;
  /** The rows to choose from, as far as they are on screen. */
  readonly rows: Locator;
  /** What is said under the input, such as why a value cannot be taken. */
  readonly message: Locator;

  constructor(private readonly page: Page) {
    this.widget = page.locator('.quick-input-widget:visible');
    this.input = this.widget.locator('.quick-input-filter input, .quick-input-box input').first();
    this.rows = this.widget.locator('.monaco-list-row');
    this.message = this.widget.locator('.quick-input-message');
  }

  async openPalette(): Promise<void> {
    // A window that was opened a moment ago may not listen yet.
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press('F1');
      try {
        await this.input.waitFor({ timeout: 5_000 });
        return;
      } catch (error) {
        if (attempt === 5) throw error;
      }
    }
  }

  /** Replaces what is in the input. */
  async type(text: string, timeout = 30_000): Promise<void> {
    await this.input.waitFor({ timeout });
    await this.input.fill(text, { timeout });
  }

  /** Replaces what is in the input, and takes it. */
  async submit(text: string): Promise<void> {
    await this.type(text);
    await this.input.press('Enter');
  }

  /** Chooses the row with this label. */
  async pick(label: string, timeout = 30_000): Promise<void> {
    await this.rows
      .filter({ has: this.page.locator('.label-name', { hasText: exactly(label) }) })
      .first()
      .click({ timeout });
  }

  /** Waits for an input that has this in its title, its prompt, its rows or its placeholder. */
  async waitFor(text: string): Promise<void> {
    const asking = this.page.locator(`input[placeholder*="${text}"]`);
    await this.widget
      .filter({ hasText: text })
      .or(this.widget.filter({ has: asking }))
      .first()
      .waitFor();
  }

  /** Waits until the input holds such a text. */
  async waitForValue(text: RegExp, timeout = 30_000): Promise<void> {
    const end = Date.now() + timeout;
    for (;;) {
      const value = await this.input.inputValue();
      if (text.test(value)) return;
      if (Date.now() > end) throw new Error(`The input holds ${value}, not ${text}`);
      await this.page.waitForTimeout(50);
    }
  }

  /** Chooses a folder, an absolute path, in the file dialog with this title. */
  async chooseFolder(title: string, path: string, button = 'OK'): Promise<void> {
    await this.choosePath(title, path.endsWith('/') ? path : `${path}/`, button);
  }

  /** Types an absolute path into the file dialog with this title, and takes it. */
  async choosePath(title: string, path: string, button = 'OK'): Promise<void> {
    await this.waitFor(title);
    // The dialog writes into the input when it gets to where it starts, and may do so again.
    await this.waitForValue(/./);
    for (let steady = 0; steady < 5;) {
      if ((await this.input.inputValue()) === path) steady++;
      else await this.type(path);
      await this.page.waitForTimeout(100);
    }
    await this.press(button);
  }

  /** Presses a button of the widget by its text, such as the `OK` of a file dialog. */
  async press(button: string): Promise<void> {
    await this.widget.locator('.monaco-button', { hasText: button }).click();
  }

  async cancel(): Promise<void> {
    await this.page.keyboard.press('Escape');
  }
}

/** Matches this text and nothing more. */
export function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
