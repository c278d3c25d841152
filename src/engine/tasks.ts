import { finishRefs } from './exchange/finishRefs';
import { receiveStreamClone } from './exchange/receiveStreamClone';
import { finishUpdate, planUpdate, writeUpdateBatch } from './exchange/updateClone';
import { readPackColumns } from './pack/packColumnsTask';
import { unpackPackEntries, writeLooseObjects } from './pack/unpackTasks';
import { readChainColumns } from './revlog/chainColumnsTask';
import { checkRevlogTexts, readRevisionText } from './revlog/textTask';
import { surveyRepository } from './survey/surveyTask';

/** What runs in worker threads, by the names that the main thread calls it with. */
export const tasks = {
  receiveStreamClone,
  finishRefs,
  planUpdate,
  writeUpdateBatch,
  finishUpdate,
  readPackColumns,
  readChainColumns,
  readRevisionText,
  checkRevlogTexts,
  surveyRepository,
  unpackPackEntries,
  writeLooseObjects,
};

export type Tasks = typeof tasks;
