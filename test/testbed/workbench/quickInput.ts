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
    await this.page.keyboard.press('F1');
    await this.input.waitFor();
  }

  /** Replaces what is in the input. */
  async type(text: string): Promise<void> {
    await this.input.waitFor();
    await this.input.fill(text);
  }

  /** Replaces what is in the input, and takes it. */
  async submit(text: string): Promise<void> {
    await this.type(text);
    await this.input.press('Enter');
  }

  /** Chooses the row with this label. */
  async pick(label: string): Promise<void> {
    await this.rows
      .filter({ has: this.page.locator('.label-name', { hasText: exactly(label) }) })
      .first()
      .click();
  }

  /** Waits for an input whose title or prompt matches. */
  async waitForTitle(text: string | RegExp): Promise<void> {
    await this.page.locator('.quick-input-widget:visible').filter({ hasText: text }).waitFor();
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
