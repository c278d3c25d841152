import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { EventLoopDelay } from '../editor/probe/eventLoopDelay';
import type { Awakening, Release } from '../editor/probe/extension';
import { temporaryDirectory, type TemporaryDirectory } from '../fixtures/hg';
import { projectRoot } from './cachedInstallation';

/** Asks an extension inside the editor how long the extension host's event loop was held meanwhile. */
export class EventLoopProbe implements AsyncDisposable {
  private constructor(private readonly folder: TemporaryDirectory) {}

  static async create(): Promise<EventLoopProbe> {
    return new EventLoopProbe(await temporaryDirectory('probe'));
  }

  /** The folder of the extension that measures, to be installed beside the one under test. */
  readonly extension = join(projectRoot, 'dist', 'test', 'probe');

  /** What the extension host has to have in its environment. */
  get env(): NodeJS.ProcessEnv {
    return { DELTASCOPE_PROBE: this.portFile };
  }

  /** Does something, and tells how the event loop of the extension host fared from its beginning to its end. */
  async during(action: () => Promise<void>): Promise<EventLoopDelay> {
    await this.ask('start');
    await action();
    return this.ask('stop');
  }

  /** Activates an extension, by its publisher and name, unless it is awake. */
  async wake(id: string): Promise<Awakening> {
    return (await this.post(`wake/${id}`)) as Awakening;
  }

  /** Lets an extension end, as it does when the window is closed. */
  async release(id: string): Promise<Release> {
    return (await this.post(`release/${id}`)) as Release;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.folder.remove();
  }

  private async ask(what: 'start' | 'stop'): Promise<EventLoopDelay> {
    return (await this.post(what)) as EventLoopDelay;
  }

  private async post(path: string): Promise<unknown> {
    const end = Date.now() + 60_000;
    for (;;) {
      try {
        const port = await readFile(this.portFile, 'utf8');
        const response = await fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST' });
        return await response.json();
      } catch (error) {
        // The extension host of a window that was opened a moment ago may still be starting.
        if (Date.now() > end) throw new Error('The probe does not answer in the extension host', { cause: error });
        await after(100);
      }
    }
  }

  private get portFile(): string {
    return join(this.folder.path, 'port');
  }
}
