import { receiveStreamClone } from './exchange/receiveStreamClone';
import { readPackColumns } from './pack/packColumnsTask';
import { unpackPackEntries, writeLooseObjects } from './pack/unpackTasks';

/** What runs in worker threads, by the names that the main thread calls it with. */
export const tasks = { receiveStreamClone, readPackColumns, unpackPackEntries, writeLooseObjects };

export type Tasks = typeof tasks;
