import type { LogOutputChannel } from 'vscode';
import type { CloneSummary } from '../engine/exchange/cloneRequest';
import type { Operation } from '../engine/io/operation';
import { bytesInWords, secondsInWords } from './words';

/** The same operation, with a line in the log for each phase that ends and each term that is agreed. */
export function logOperation(log: LogOutputChannel, title: string, operation: Operation): Operation {
  const begun = new Map<string, number>();
  return {
    signal: operation.signal,
    log: (level, message) => log[level](`${title}: ${message}`),
    progress: (event) => {
      if (event.type === 'phase') {
        const begin = begun.get(event.phase) ?? performance.now();
        begun.set(event.phase, begin);
        if (event.state === 'done') {
          const amount = event.unit === 'bytes' ? bytesInWords(event.done) : `${event.done} ${event.unit}`;
          const items = event.items === undefined ? '' : `, ${event.items.done} ${event.items.unit}`;
          log.info(
            `${title}: ${event.phase} ${amount}${items} in ${secondsInWords((performance.now() - begin) / 1000)}`,
          );
        }
      }
      operation.progress(event);
    },
  };
}

/** The last line about a clone. */
export function logSummary(log: LogOutputChannel, summary: CloneSummary): void {
  const { source, destination, revisions, files, bytes } = summary;
  log.info(`Cloned ${source} into ${destination}: ${revisions} revisions, ${files} files, ${bytesInWords(bytes)}`);
  for (const warning of summary.warnings) log.warn(warning);
}
