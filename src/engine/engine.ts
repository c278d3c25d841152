import { streamClone } from './exchange/streamClone';
import type { CloneRequest, CloneSummary } from './exchange/cloneRequest';
import type { Operation } from './io/operation';
import { WorkerPool, type WorkerPoolOptions } from './io/workerPool';
import type { Tasks } from './tasks';

/** The exchange engine as editor and command line see it: operations on this thread, their work on a pool of workers. */
export class Engine {
  private readonly workers: WorkerPool<Tasks>;

  /** @param workerScript path of the bundled `worker.js`. */
  constructor(workerScript: string, options?: WorkerPoolOptions<Tasks>) {
    this.workers = new WorkerPool<Tasks>(workerScript, options);
  }

  /**
   * Clones a repository by copying the server's store as it is. The destination is whole afterwards, or absent.
   * @throws errors of every kind; see `EngineError`.
   */
  clone(request: CloneRequest, operation: Operation): Promise<CloneSummary> {
    return streamClone(request, operation, this.workers);
  }

  /** Ends the workers; operations that still run fail. */
  dispose(): Promise<void> {
    return this.workers.dispose();
  }
}
