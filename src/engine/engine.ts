import type { ChainReport, ReportSubject } from '../protocol/chainReport';
import { incoming, type IncomingRequest, type IncomingSummary } from './exchange/incoming';
import type { BundleContents } from './exchange/bundleContents';
import { fastForward, type FastForward } from './exchange/fastForward';
import type { ReadBundle } from './exchange/readBundle';
import type { AboutIncoming, IncomingFile } from './exchange/incomingFiles';
import { verifyRepository, type VerifySummary } from './verify/verifyRepository';
import { pull, unbundle } from './exchange/pull';
import type { PullRequest, PullSummary } from './exchange/pullRequest';
import { clone } from './exchange/clone';
import type { CloneRequest, CloneSummary } from './exchange/cloneRequest';
import type { ComparisonRequest, StoreComparison } from './compare/compareStore';
import type { Operation } from './io/operation';
import type { OptimizeRequest, OptimizeSummary } from './optimize/optimizeStore';
import type { OptimizeEnd } from './optimize/optimizeTasks';
import type { PackColumns } from './pack/packColumns';
import { unpackPack, type UnpackReport } from './pack/unpackPack';
import { ChainCache } from './revlog/chainCache';
import type { Node } from './revlog/node';
import type { ChainDetail, ChainReading, RevlogSource } from './revlog/readChainColumns';
import type { RevisionText } from './revlog/textTask';
import type { RepositoryServer, ServeRequest } from './server/serveRequest';
import type { BundleRequest, WrittenBundle } from './server/writeBundle';
import type { CloneBundlesRequest, WrittenCloneBundles } from './server/writeCloneBundles';
import type { StoreSurvey } from './survey/surveyRepository';
import { WorkerPool, type WorkerPoolOptions } from './io/workerPool';
import type { Tasks } from './tasks';

/** The exchange engine as editor and command line see it: operations on this thread, their work on a pool of workers. */
export class Engine {
  private readonly workers: WorkerPool<Tasks>;
  private readonly chains = new ChainCache();

  /** @param workerScript path of the bundled `worker.js`. */
  constructor(workerScript: string, options?: WorkerPoolOptions<Tasks>) {
    this.workers = new WorkerPool<Tasks>(workerScript, options);
  }

  /**
   * Clones a repository by copying the server's store as it is, or from a bundle file. The destination is whole
   * afterwards, or absent.
   * @throws errors of every kind; see `EngineError`.
   */
  clone(request: CloneRequest, operation: Operation): Promise<CloneSummary> {
    return clone(request, 'stream', operation, this.workers);
  }

  /**
   * Measures every revlog of a repository.
   * @param folder the working copy, or its `.hg`
   * @throws as `surveyRepository` of the survey
   */
  surveyRepository(folder: string, operation: Operation): Promise<StoreSurvey> {
    return this.workers.run('surveyRepository', { folder }, operation);
  }

  /** What a store would be under other policies; nothing is changed. @throws as `compareStore` */
  async compareStore(request: ComparisonRequest, operation: Operation): Promise<StoreComparison> {
    const { compareStore } = await import('./compare/compareStore');
    return compareStore(request, operation, this.workers);
  }

  /** Writes a store again under a policy; the old one is kept until it is confirmed. @throws as `optimizeStore` */
  async optimizeStore(request: OptimizeRequest, operation: Operation): Promise<OptimizeSummary> {
    const { optimizeStore } = await import('./optimize/optimizeStore');
    return optimizeStore(request, operation, this.workers);
  }

  /**
   * Ends an optimisation: deletes the old store, brings it back, or goes on with what was broken off.
   * @throws as `confirmOptimize`, `undoOptimize` and `finishOptimize`
   */
  endOptimize(folder: string, end: OptimizeEnd, operation: Operation): Promise<void> {
    return this.workers.run('endOptimize', { folder, end }, operation);
  }

  /**
   * How the revisions of a revlog are stored: from memory, while its files are as they were when it was read. The columns
   * belong to all who ask.
   * @throws as `readChainColumns` of the revlog
   */
  readChains(source: RevlogSource, detail: ChainDetail, operation: Operation): Promise<ChainReading> {
    const { path, chunkPath, isSparse } = source;
    return this.chains.get(source, detail, () =>
      this.workers.run('readChainColumns', { source: { path, chunkPath, isSparse }, detail }, operation),
    );
  }

  /**
   * The text of a revision, or no more than `limit` bytes of its beginning, checked against its node.
   * @throws as `Revlog.text`
   */
  readRevisionText(
    source: RevlogSource,
    rev: number,
    limit: number | undefined,
    operation: Operation,
  ): Promise<RevisionText> {
    const { path, chunkPath, isSparse } = source;
    return this.workers.run('readRevisionText', { source: { path, chunkPath, isSparse }, rev, limit }, operation);
  }

  /** How the entries of a Git pack are stored. @throws as `readPackColumns` of the pack */
  readPack(path: string, operation: Operation): Promise<PackColumns> {
    return this.workers.run('readPackColumns', { path }, operation);
  }

  /**
   * Reads how the revisions of a revlog, or the objects of a pack, are stored as deltas: findings, figures, and a table.
   * @throws as `readChainColumns` and `readPackColumns` do
   */
  chainReport(subject: ReportSubject, operation: Operation): Promise<ChainReport> {
    return this.workers.run('makeChainReport', subject, operation);
  }

  /**
   * Clones a repository by pulling its changesets into a new one. The destination is whole afterwards, or absent.
   * @throws errors of every kind; see `EngineError`.
   */
  cloneByPull(request: CloneRequest, operation: Operation): Promise<CloneSummary> {
    return clone(request, 'pull', operation, this.workers);
  }

  /**
   * Brings a repository up to date with another one; the working copy stays as it is.
   * @throws errors of every kind; the repository is as it was then.
   */
  pull(request: PullRequest, operation: Operation): Promise<PullSummary> {
    return pull(request, operation, this.workers);
  }

  /** Tells what a pull would bring, without writing anything. @throws errors of every kind */
  incoming(request: IncomingRequest, operation: Operation): Promise<IncomingSummary> {
    return incoming(request, operation, this.workers);
  }

  /** The files that an incoming changeset changes. @throws as `listIncomingFiles` */
  listIncomingFiles(
    about: AboutIncoming & { node: Node; parent: Node },
    operation: Operation,
  ): Promise<IncomingFile[]> {
    return this.workers.run('listIncomingFiles', about, operation);
  }

  /** The content of a file in an incoming changeset, or its beginning. @throws as `readIncomingText` */
  readIncomingText(
    about: AboutIncoming & { path: string; node: Node; limit?: number },
    operation: Operation,
  ): Promise<RevisionText> {
    return this.workers.run('readIncomingText', about, operation);
  }

  /** Whether a working copy can go forward without anything to merge. @throws as `findFastForward` */
  findFastForward(root: string, operation: Operation): Promise<FastForward> {
    return this.workers.run('findFastForward', { root }, operation);
  }

  /** Brings a working copy forward; files that are changed are never touched. @throws as `fastForward` */
  fastForward(request: { root: string; to: Node }, operation: Operation): Promise<{ files: number }> {
    return fastForward(request, operation, this.workers);
  }

  /** Tells what a bundle file holds. @throws as `readBundle` */
  readBundle(request: ReadBundle, operation: Operation): Promise<BundleContents> {
    return this.workers.run('readBundle', request, operation);
  }

  /**
   * Checks every text of a repository, and how changesets, manifests and files refer to each other.
   * @throws `unsupported` for repositories that cannot be read; what is damaged is told in the result
   */
  verify(root: string, operation: Operation): Promise<VerifySummary> {
    return verifyRepository(root, operation, this.workers);
  }

  /** Adds a bundle file to a repository. @throws as {@link pull} */
  unbundle(request: { root: string; bundle: string }, operation: Operation): Promise<PullSummary> {
    return unbundle(request, operation, this.workers);
  }

  /**
   * Unpacks a Git pack or bundle into the loose objects of a repository. It has all of them afterwards, or what it had.
   * @throws as `unpackPack` of the pack
   */
  unpackPack(path: string, repository: string, operation: Operation): Promise<UnpackReport> {
    return unpackPack({ path }, repository, {}, this.workers, operation);
  }

  /**
   * Serves repositories, read-only, to Mercurial clients over HTTP until it is closed or the operation stopped. This thread
   * has the network to do; what is read is read in another, whatever the number of clients.
   *
   * @throws `destination` for what is no repository, and for an address that cannot be listened on
   */
  async serve(request: ServeRequest, operation: Operation): Promise<RepositoryServer> {
    const { serve } = await import('./server/httpServer');
    return serve(request, operation, this.workers);
  }

  /**
   * Writes a bundle file of a repository, which is whole afterwards, or as it was. Secret changesets stay out; a stream of a
   * repository that has some is refused.
   * @throws as `writeBundle`
   */
  writeBundle(request: BundleRequest, operation: Operation): Promise<WrittenBundle> {
    return this.workers.run('writeBundle', request, operation);
  }

  /** Writes bundles for those who clone, and the list that names them. @throws as {@link writeBundle} */
  async writeCloneBundles(request: CloneBundlesRequest, operation: Operation): Promise<WrittenCloneBundles> {
    const { writeCloneBundles } = await import('./server/writeCloneBundles');
    return writeCloneBundles(request, operation, this.workers);
  }

  /** Ends the workers; operations that still run fail. */
  dispose(): Promise<void> {
    return this.workers.dispose();
  }
}
