import type { Operation } from '../io/operation';
import { surveyBuffers } from './surveyColumns';
import { surveyRepository as survey, type StoreSurvey } from './surveyRepository';

/** The task that surveys a repository; the columns move to the caller without a copy. @throws as its namesake */
export function surveyRepository(
  args: { folder: string },
  context: Operation & { transfer: (...buffers: ArrayBuffer[]) => void },
): StoreSurvey {
  const result = survey(args.folder, context);
  context.transfer(...surveyBuffers(result.revlogs));
  return result;
}
