import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { Repositories } from '../chains/repositories';
import type { RepositoryArgument } from '../exchange/chooseRepository';
import type { Transfers } from '../transfers/transfers';
import { ServeCommand } from './serveCommand';
import { Servers } from './servers';
import { ServeStatus } from './serveStatus';

/** What serving needs of the editor. */
export interface ServeServices {
  engine: Engine;
  transfers: Transfers;
  repositories: Repositories;
  log: vscode.LogOutputChannel;
}

/** Serving repositories: the commands, the status bar item, and the servers themselves. */
export function registerServe({ engine, transfers, repositories, log }: ServeServices): { dispose: () => unknown }[] {
  const servers = new Servers(engine, transfers, log);
  const command = new ServeCommand(servers, repositories, log);
  const on = vscode.commands.registerCommand;
  return [
    servers,
    new ServeStatus(servers),
    on('deltascope.serve', (repository: RepositoryArgument) => command.serve(repository)),
    on('deltascope.serving', () => command.choose()),
    on('deltascope.stopServing', () => command.stop()),
  ];
}
