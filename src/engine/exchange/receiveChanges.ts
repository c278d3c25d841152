import type { Operation } from '../io/operation';
import type { WorkerPool } from '../io/workerPool';
import { CheckRing, newCheckMemory } from '../revlog/checkRing';
import type { Tasks } from '../tasks';
import type { ReceiveBundle, ReceivedBundle } from './receiveBundle';

/**
 * Receives a bundle into a repository: one thread reads and stores it; when many manifests are coming, another checks them
 * against their nodes. A manifest is often the longest text of all, and each changeset has one.
 */
export async function receiveChanges(
  request: Omit<ReceiveBundle, 'ring'>,
  body: AsyncIterable<Uint8Array>,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<ReceivedBundle> {
  const ring = newCheckMemory();
  let checking: Promise<void> | undefined;
  const check = async () => {
    try {
      await workers.run('checkTextsInRing', ring, operation, undefined, [], true);
    } finally {
      // However it ended: whoever waits for it has to know.
      new CheckRing(ring).dismiss();
    }
  };
  const watched: Operation = {
    ...operation,
    progress: (event) => {
      operation.progress(event);
      const areMany = event.type === 'phase' && event.phase === 'manifests' && event.state === 'running';
      // What it does not do the other thread does itself.
      if (areMany) checking ??= check().catch(() => undefined);
    },
  };
  try {
    return await workers.run('receiveBundle', { ...request, ring }, watched, body);
  } finally {
    new CheckRing(ring).dismiss();
    await checking;
  }
}
