import * as l10n from '@vscode/l10n';
import { workerData } from 'node:worker_threads';
import { serveTasks } from './io/taskServer';
import { tasks } from './tasks';

// Tasks are loaded when they are called, so whatever words they hold come after this.
const { texts } = workerData as { texts?: Record<string, string> };
if (texts !== undefined) l10n.config({ contents: texts });
serveTasks(tasks);
