import { createServer, type Server } from 'node:http';
import { writeFile, rename } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import * as vscode from 'vscode';
import { watchEventLoop, type EventLoopDelay } from './eventLoopDelay';

/**
 * An extension beside the one under test, in the same process: measures the event loop they share. It answers on a loopback
 * port that it writes to the file DELTASCOPE_PROBE names: `POST /start`, and `POST /stop` with the figures as JSON.
 * `POST /wake/ID` activates an extension and tells whether it slept before, and what it took; `POST /release/ID` lets it
 * end as the editor does when the window is closed, and tells what it left in the process.
 */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const file = process.env.DELTASCOPE_PROBE;
  if (file === undefined) return;
  const server = createProbe();
  context.subscriptions.push({ dispose: () => server.close() });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await writeFile(`${file}.part`, String((server.address() as AddressInfo).port));
  await rename(`${file}.part`, file);
}

function createProbe(): Server {
  let stop: (() => EventLoopDelay) | undefined;
  return createServer((request, response) => {
    const asked = /^\/(wake|release)\/(.+)$/.exec(request.url ?? '');
    if (asked !== null) {
      const [, what, id] = asked;
      const answer: Promise<unknown> = what === 'wake' ? wake(id) : release(id);
      void answer.then((figures) => response.end(JSON.stringify(figures)));
      return;
    }
    const figures = stop?.();
    stop = request.url === '/start' ? watchEventLoop() : undefined;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ pid: process.pid, ...figures }));
  });
}

/** What the Node of the tests' editor has, and the types of Node 20 do not know. */
const { threadCpuUsage } = process as unknown as { threadCpuUsage: typeof process.cpuUsage };

/** How an extension was woken. */
export interface Awakening {
  slept: boolean;
  /** From loading its code to the end of its activation. */
  milliseconds: number;
  /** Of the processor, meanwhile, by the thread that extensions share. */
  cpuMilliseconds: number;
  /** The commands that there are then. */
  commands: string[];
}

async function wake(id: string): Promise<Awakening> {
  const extension = vscode.extensions.getExtension(id);
  const slept = extension?.isActive === false;
  await quiet();
  const begun = performance.now();
  const cpu = threadCpuUsage();
  await extension?.activate();
  const { user, system } = threadCpuUsage(cpu);
  const milliseconds = performance.now() - begun;
  const commands = await vscode.commands.getCommands(true);
  return { slept, milliseconds, cpuMilliseconds: (user + system) / 1000, commands };
}

/** Resolves when nothing else is going on in this thread, such as other extensions that are waking up. */
async function quiet(): Promise<void> {
  for (let busy = performance.eventLoopUtilization(), share = 1; share > 0.05;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(now, busy).utilization;
    busy = now;
  }
}

/** What an extension held, and what it still holds after it has ended. */
export interface Release {
  before: string[];
  after: string[];
}

async function release(id: string): Promise<Release> {
  const extension = vscode.extensions.getExtension(id);
  const before = held();
  const main = require.cache[join(extension?.extensionPath ?? '', 'dist', 'extension.js')];
  await (main?.exports as { deactivate: () => Promise<void> }).deactivate();
  return { before, after: held() };
}

/** Servers, threads, child programs and file watchers of this process, each by its kind, but for the probe's own server. */
function held(): string[] {
  const kinds = /^(TCPServerWrap|PipeServerWrap|MessagePort|Worker|ProcessWrap|FSEventWrap|StatWatcher)$/;
  const all = process.getActiveResourcesInfo().filter((kind) => kinds.test(kind));
  all.splice(all.indexOf('TCPServerWrap'), 1);
  return all.sort();
}
