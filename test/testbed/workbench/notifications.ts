import type { Locator, Page } from 'playwright-core';

/** The messages that pop up in the window's corner. */
export class Notifications {
  constructor(private readonly page: Page) {}

  /** The message whose text matches. */
  toast(text: string | RegExp): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
  }

  /** Waits for a message, and gives its text. */
  async waitFor(text: string | RegExp, timeout = 30_000): Promise<string> {
    const message = this.toast(text).locator('.notification-list-item-message');
    await message.waitFor({ timeout });
    return (await message.textContent()) ?? '';
  }

  /** Waits until there is no such message. */
  async waitUntilGone(text: string | RegExp): Promise<void> {
    await this.toast(text).waitFor({ state: 'detached' });
  }

  /** Presses a button of a message. */
  async press(text: string | RegExp, button: string): Promise<void> {
    const toast = this.toast(text);
    // Buttons are drawn when the pointer or the focus is there, and always on messages that have buttons of their own.
    await toast.hover();
    await toast.getByRole('button', { name: button, exact: true }).click();
  }
}
