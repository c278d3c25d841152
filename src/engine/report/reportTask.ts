import type { ChainReport, ReportSubject } from '../../protocol/chainReport';
import type { TaskContext } from '../io/taskServer';
import { packReport } from './packReport';
import { revlogReport } from './revlogReport';

/** Worker task: makes a chain report; its columns move to the caller without a copy. @throws as its makers do */
export async function makeChainReport(subject: ReportSubject, context: TaskContext): Promise<ChainReport> {
  const report = subject.kind === 'pack' ? await packReport(subject, context) : revlogReport(subject, context);
  for (const { buffer } of Object.values(report.values)) {
    if (buffer instanceof ArrayBuffer) context.transfer(buffer);
  }
  return report;
}
