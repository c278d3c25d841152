import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { Repositories } from '../chains/repositories';
import { CompareCommand } from '../commands/compareCommand';
import { EndOptimizeCommand } from '../commands/endOptimizeCommand';
import { OptimizeCommand } from '../commands/optimizeCommand';
import type { RepositoryArgument } from '../exchange/chooseRepository';
import type { CompareReports } from '../reports/compareReport';
import type { TransferRunner } from '../transfers/runTransfer';

/** What comparing and optimising needs of the editor. */
export interface CompareServices {
  engine: Engine;
  runner: TransferRunner;
  repositories: Repositories;
  reports: CompareReports;
  log: vscode.LogOutputChannel;
  /** Told when the store of a repository was written again, or is the old one again. */
  onChange: (root: string) => void;
}

/** *Compare delta choices*, *Optimize store*, and what comes after it. */
export function registerCompare(services: CompareServices): { dispose: () => unknown }[] {
  const { engine, runner, repositories, reports } = services;
  const compare = new CompareCommand(engine, runner, repositories, reports);
  const optimize = new OptimizeCommand(services);
  const end = new EndOptimizeCommand(services);
  const on = vscode.commands.registerCommand;
  return [
    end,
    on('deltascope.compareDeltaChoices', (of?: Parameters<CompareCommand['run']>[0]) => compare.run(of)),
    on('deltascope.optimizeStore', (of?: Parameters<OptimizeCommand['run']>[0]) => optimize.run(of)),
    on('deltascope.optimize.confirm', (of?: RepositoryArgument) => end.run('confirm', of)),
    on('deltascope.optimize.undo', (of?: RepositoryArgument) => end.run('undo', of)),
    on('deltascope.optimize.finish', (of?: RepositoryArgument) => end.run('finish', of)),
    on('deltascope.optimize.decide', (of?: RepositoryArgument) => end.decide(of)),
  ];
}
