import type { Memento } from 'vscode';
import { shownAddress } from './exchange/shownAddress';

const key = 'addresses';
const kept = 20;

/** The addresses that were cloned last, newest first, without passwords. */
export class AddressHistory {
  constructor(private readonly state: Memento) {}

  get all(): readonly string[] {
    return this.state.get<string[]>(key, []);
  }

  async add(address: string): Promise<void> {
    const withoutPassword = shownAddress(address);
    await this.state.update(
      key,
      [withoutPassword, ...this.all.filter((known) => known !== withoutPassword)].slice(0, kept),
    );
  }
}
