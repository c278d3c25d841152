import * as l10n from '@vscode/l10n';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { corruptError } from '../io/errors';
import type { Replacement } from './stagedFiles';

export const planVersion = 1 as number;

/** What an optimisation does, from the moment on at which all that it needs is written and verified. */
export interface Plan {
  version: typeof planVersion;
  /** `new` puts what was written again in place, `back` what was kept. */
  direction: 'new' | 'back';
  /** All replacements were made; what is left is to keep the old store until it is confirmed. */
  isDone: boolean;
  policy: string;
  /** Bytes of the revlogs that are replaced. */
  before: number;
  after: number;
  replacements: Replacement[];
}

/** Where an optimisation keeps its files: beside the store, on the same file system. */
export interface OptimizeFolders {
  root: string;
  plan: string;
  /** What is to be put in place. */
  staging: string;
  /** What was there before. */
  kept: string;
}

export function optimizeFolders(store: string): OptimizeFolders {
  const root = join(dirname(store), 'deltascope-optimize');
  return { root, plan: join(root, 'plan.json'), staging: join(root, 'new'), kept: join(root, 'old') };
}

/** Writes the plan in one step: with it there, an optimisation that was broken off is gone on with; before, dropped. */
export function writePlan({ plan }: OptimizeFolders, content: Plan): void {
  const beside = `${plan}.part`;
  writeFileSync(beside, JSON.stringify(content), { flush: true });
  renameSync(beside, plan);
}

/** The plan of an optimisation that is under way or waits to be confirmed. @throws `corrupt` when it cannot be read */
export function readPlan({ plan }: OptimizeFolders): Plan | undefined {
  if (!existsSync(plan)) return undefined;
  try {
    const content = JSON.parse(readFileSync(plan, 'utf8')) as Partial<Plan> | null;
    if (content?.version === planVersion && Array.isArray(content.replacements)) return content as Plan;
  } catch (error) {
    throw corruptError(l10n.t('{0} cannot be read.', plan), { subject: plan, cause: error });
  }
  throw corruptError(l10n.t('{0} is no plan of an optimisation that this version knows.', plan), { subject: plan });
}
