import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { manyFiles } from '../store/fileRelay';
import type { Tasks } from '../tasks';
import type { ReceivedStreamClone, ReceiveStreamClone } from './receiveStreamClone';

/** Receives a stream into a new repository: one thread reads it; when many files are coming, another writes some of them. */
export async function receiveStream(
  request: Omit<ReceiveStreamClone, 'relay'>,
  body: AsyncIterable<Uint8Array>,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<ReceivedStreamClone> {
  const { port1: relay, port2: port } = new MessageChannel();
  let writing: Promise<void> | undefined;
  const write = async () => {
    try {
      const files = { folder: join(request.root, '.hg'), port };
      await workers.run('writeRelayedFiles', files, operation, undefined, [port], true);
    } finally {
      // However it ended: whoever waits at the other end has to know.
      port.close();
    }
  };
  const watched: Operation = {
    ...operation,
    progress: (event) => {
      operation.progress(event);
      const isMuch = event.type === 'phase' && event.phase === 'transfer' && (event.items?.total ?? 0) >= manyFiles;
      // What goes wrong there is told to the one who receives.
      if (isMuch) writing ??= write().catch(() => undefined);
    },
  };
  try {
    return await workers.run('receiveStreamClone', { ...request, relay }, watched, body, [relay]);
  } finally {
    relay.close();
    port.close();
    await writing;
  }
}
