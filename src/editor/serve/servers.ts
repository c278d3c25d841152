import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { Access, RepositoryServer } from '../../engine/server/serveRequest';
import { logOperation } from '../operationLog';
import type { Transfers } from '../transfers/transfers';
import { ServedTransfers } from './servedTransfers';

/** How a repository is to be served. */
export interface ServePlan {
  root: string;
  host: string;
  /** 0 for any that is free. */
  port: number;
  access?: Access;
}

/** A repository that this window serves. */
export interface RunningServer {
  name: string;
  root: string;
  /** What `hg clone` takes, without what has to be known to be let in. */
  address: string;
  /** The same with the token, where there is one. */
  addressWithToken: string;
  server: RepositoryServer;
}

const refreshMilliseconds = 500;

/** The repositories that this window serves, until they are stopped or the window is closed. */
export class Servers implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private servers: RunningServer[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** Tells of servers that come and go, and of what clients do, a few times a second at the most. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly engine: Engine,
    private readonly transfers: Transfers,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get all(): readonly RunningServer[] {
    return this.servers;
  }

  /** @throws as `serve` of the engine */
  async start({ root, host, port, access }: ServePlan): Promise<RunningServer> {
    const name = basename(root);
    const operation = logOperation(this.log, vscode.l10n.t('Serving {0}', name), {
      signal: new AbortController().signal,
      progress: () => undefined,
      log: () => undefined,
    });
    const server = await this.engine.serve({ repositories: [{ root }], host, port, access }, operation);
    const { address } = server.repositories[0];
    const running = { name, root, address, addressWithToken: withToken(address, access), server };
    this.servers = [...this.servers, running];
    const served = new ServedTransfers(running, this.transfers, this.log);
    server.watch((event) => {
      served.note(event);
      this.timer ??= setTimeout(() => this.tell(), refreshMilliseconds);
    });
    void server.closed.then(() => {
      this.servers = this.servers.filter((other) => other !== running);
      this.log.info(vscode.l10n.t('{0} is no longer served.', name));
      this.tell();
    });
    this.log.info(vscode.l10n.t('{0} is served at {1}', name, address));
    this.tell();
    return running;
  }

  async stop(running: RunningServer): Promise<void> {
    await running.server.close();
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.servers.map((running) => this.stop(running)));
  }

  dispose(): Promise<void> {
    this.changed.dispose();
    clearTimeout(this.timer);
    return this.stopAll();
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    void vscode.commands.executeCommand('setContext', 'deltascope.serving', this.servers.length > 0);
    this.changed.fire();
  }
}

function withToken(address: string, access: Access | undefined): string {
  if (access?.kind !== 'token') return address;
  const url = new URL(address);
  url.username = 'token';
  url.password = access.token;
  return url.href;
}
