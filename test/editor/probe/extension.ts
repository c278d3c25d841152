import { createServer, type Server } from 'node:http';
import { writeFile, rename } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { ExtensionContext } from 'vscode';
import { watchEventLoop, type EventLoopDelay } from './eventLoopDelay';

/**
 * An extension beside the one under test, in the same process: measures the event loop they share. It answers on a loopback
 * port that it writes to the file DELTASCOPE_PROBE names: `POST /start`, and `POST /stop` with the figures as JSON.
 */
export async function activate(context: ExtensionContext): Promise<void> {
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
    const figures = stop?.();
    stop = request.url === '/start' ? watchEventLoop() : undefined;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ pid: process.pid, ...figures }));
  });
}
