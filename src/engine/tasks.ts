import type { TaskContext } from './io/taskServer';

/**
 * What runs in worker threads, by the names that the main thread calls it with. Each is loaded when it is first called:
 * a thread is started for one of them, and what the others need would make it start later.
 */
export const tasks = {
  receiveStreamClone: lazily(async () => (await import('./exchange/receiveStreamClone')).receiveStreamClone),
  readGraph: lazily(async () => (await import('./exchange/readGraph')).readGraph),
  readIncoming: lazily(async () => (await import('./exchange/readIncoming')).readIncoming),
  listIncomingFiles: lazily(async () => (await import('./exchange/incomingFiles')).listIncomingFiles),
  readIncomingText: lazily(async () => (await import('./exchange/incomingFiles')).readIncomingText),
  readBundle: lazily(async () => (await import('./exchange/readBundle')).readBundle),
  findFastForward: lazily(async () => (await import('./exchange/fastForward')).findFastForward),
  goForward: lazily(async () => (await import('./exchange/fastForward')).goForward),
  verifyChangelog: lazily(async () => (await import('./verify/verifyHistory')).verifyChangelog),
  verifyManifests: lazily(async () => (await import('./verify/verifyHistory')).verifyManifests),
  verifyFiles: lazily(async () => (await import('./verify/verifyFiles')).verifyFiles),
  measureStore: lazily(async () => (await import('./exchange/readGraph')).measureStore),
  receiveBundle: lazily(async () => (await import('./exchange/receiveBundle')).receiveBundle),
  checkTextsInRing: lazily(async () => (await import('./revlog/checkRing')).checkTextsInRing),
  writeRelayedFiles: lazily(async () => (await import('./store/fileRelay')).writeRelayedFiles),
  finishRefs: lazily(async () => (await import('./exchange/finishRefs')).finishRefs),
  planUpdate: lazily(async () => (await import('./exchange/updateClone')).planUpdate),
  writeUpdateBatches: lazily(async () => (await import('./exchange/updateClone')).writeUpdateBatches),
  finishUpdate: lazily(async () => (await import('./exchange/updateClone')).finishUpdate),
  readPackColumns: lazily(async () => (await import('./pack/packColumnsTask')).readPackColumns),
  readChainColumns: lazily(async () => (await import('./revlog/chainColumnsTask')).readChainColumns),
  readRevisionText: lazily(async () => (await import('./revlog/textTask')).readRevisionText),
  checkRevlogTexts: lazily(async () => (await import('./revlog/textTask')).checkRevlogTexts),
  surveyRepository: lazily(async () => (await import('./survey/surveyTask')).surveyRepository),
  makeChainReport: lazily(async () => (await import('./report/reportTask')).makeChainReport),
  compareRevlogs: lazily(async () => (await import('./compare/compareTask')).compareRevlogs),
  rewriteRevlogs: lazily(async () => (await import('./optimize/rewriteTask')).rewriteRevlogs),
  serveRepositories: lazily(async () => (await import('./server/serveTask')).serveRepositories),
  writeBundle: lazily(async () => (await import('./server/writeBundle')).writeBundle),
  listRevlogsToStore: lazily(async () => (await import('./optimize/optimizeTasks')).listRevlogsToStore),
  swapRevlogsIn: lazily(async () => (await import('./optimize/optimizeTasks')).swapRevlogsIn),
  endOptimize: lazily(async () => (await import('./optimize/optimizeTasks')).endOptimize),
  unpackPackEntries: lazily(async () => (await import('./pack/unpackTasks')).unpackPackEntries),
  writeLooseObjects: lazily(async () => (await import('./pack/unpackTasks')).writeLooseObjects),
};

export type Tasks = typeof tasks;

function lazily<Args, Result>(
  load: () => Promise<(args: Args, context: TaskContext) => Result | Promise<Result>>,
): (args: Args, context: TaskContext) => Promise<Result> {
  return async (args, context) => (await load())(args, context);
}
