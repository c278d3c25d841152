import * as l10n from '@vscode/l10n';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { basename, resolve } from 'node:path';
import type { CompressionName } from '../compression/codec';
import { compressStream, writableEngines } from '../compression/stream';
import { destinationError, EngineError } from '../io/errors';
import type { Operation } from '../io/operation';
import { printable } from '../io/printable';
import type { WorkerPool } from '../io/workerPool';
import { locateRepository } from '../store/repositoryFolders';
import type { Tasks } from '../tasks';
import { isAllowed, isMeant, realm } from './access';
import { comeBack, refuse, refuseMalformed, sendText } from './answers';
import { readCommand, RefusedRequest, type CommandRequest } from './commandRequest';
import { chooseForm, formHead, parseClientMedia } from './responseForm';
import { sendBytesTo } from './sendBytesTo';
import { ServedClients } from './servedClients';
import {
  defaultServeLimits,
  type RepositoryServer,
  type ServedAddress,
  type ServedTransfer,
  type ServeEvent,
  type ServeLimits,
  type ServeRequest,
} from './serveRequest';
import { ServingThread, type ServedAnswer } from './servingThread';

const legacyMedia = 'application/mercurial-0.1';
const errorMedia = 'application/hg-error';
/** Memory for what is on its way to one client, in chunks of 32 kB, and for all of them together. */
const mostChunks = 32;
const leastChunks = 4;
const chunksForAll = 256;
/** What could change a repository, if anything could. */
const writingCommands = new Set(['unbundle', 'pushkey']);

/**
 * Serves repositories to Mercurial clients over HTTP/1.1, until it is closed or the operation stopped.
 *
 * @throws `destination` for what is no repository, and for an address that cannot be listened on
 */
export async function serve(
  request: ServeRequest,
  operation: Operation,
  workers: WorkerPool<Tasks>,
): Promise<RepositoryServer> {
  const names = nameRepositories(request);
  const server = new HttpServer(request, names, ServingThread.start(workers, operation), operation);
  await server.listen();
  return server;
}

class HttpServer implements RepositoryServer {
  readonly closed: Promise<void>;
  private readonly server: Server;
  private readonly known = new ServedClients();
  private readonly limits: ServeLimits;
  private readonly engines: readonly CompressionName[];
  private readonly host: string;
  private listening: AddressInfo | undefined;
  private bundles = 0;

  constructor(
    private readonly request: ServeRequest,
    private readonly names: ReadonlyMap<string, string>,
    private readonly thread: ServingThread,
    private readonly operation: Operation,
  ) {
    this.limits = { ...defaultServeLimits, ...request.limits };
    this.engines = request.engines ?? writableEngines;
    this.host = request.host ?? '127.0.0.1';
    const { headerBytes, headerTime, requestTime } = this.limits;
    const times = { headersTimeout: headerTime, requestTimeout: requestTime, keepAliveTimeout: headerTime };
    this.server = createServer(
      { maxHeaderSize: headerBytes, connectionsCheckingInterval: 1000, noDelay: true, ...times },
      (incoming, response) => void this.answer(incoming, response),
    );
    // A second limit, for those who are only there to be refused.
    this.server.maxConnections = 2 * this.limits.clients;
    this.server.on('connection', (socket) => this.known.connected(socket));
    this.server.on('clientError', refuseMalformed);
    this.closed = this.thread.ended.then(() => this.close());
  }

  async listen(): Promise<void> {
    const { port = 0 } = this.request;
    try {
      await new Promise<void>((done, failed) => {
        this.server.once('error', failed);
        this.server.listen(port, this.host, () => {
          this.server.off('error', failed);
          done();
        });
      });
    } catch (error) {
      this.thread.close();
      await this.closed;
      throw cannotListen(error, this.host, port);
    }
    this.listening = this.server.address() as AddressInfo;
  }

  get port(): number {
    return this.listening?.port ?? 0;
  }

  get address(): string {
    const host = this.host === '0.0.0.0' || this.host === '::' ? 'localhost' : this.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}/`;
  }

  get repositories(): readonly ServedAddress[] {
    const isAlone = this.names.size === 1;
    return [...this.names].map(([name, root]) => ({
      name,
      root,
      // A name at the end is what a clone is called after.
      address: `${this.address}${isAlone && name === '' ? '' : encodeURIComponent(name)}`,
    }));
  }

  get clients() {
    return this.known.list;
  }

  get rate(): number {
    return this.known.rate;
  }

  get totals() {
    return this.known.totals;
  }

  watch(listener: (event: ServeEvent) => void): () => void {
    return this.known.watch(listener);
  }

  disconnect(id: number): void {
    this.known.disconnect(id);
  }

  async close(): Promise<void> {
    this.thread.close();
    const ended = new Promise<void>((done) => {
      if (this.server.listening) this.server.close(() => done());
      else done();
    });
    this.known[Symbol.dispose]();
    await Promise.all([ended, this.thread.ended]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Answers one request; whatever happens is told to its client as far as that can still be done. */
  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = incoming;
    let transfer: ServedTransfer | undefined;
    try {
      this.refuseStrangers(incoming);
      const command = await readCommand(incoming, this.limits.bodyBytes);
      const { root, name } = this.find(command);
      const userAgent = printable(incoming.headers['user-agent'] ?? '').slice(0, 200);
      transfer = this.known.started(socket, userAgent, printable(command.command ?? '').slice(0, 60), name);
      await this.run(command, root, response, transfer);
      this.known.finished(socket, transfer, transfer.format === 'error' ? 'refused' : 'done');
    } catch (error) {
      this.fail(error, socket, response, transfer);
    }
  }

  private refuseStrangers(incoming: IncomingMessage): void {
    if (!isMeant(incoming, this.host)) throw new RefusedRequest(403, 'This server goes by another name');
    if (!isAllowed(incoming, this.request.access)) {
      throw new RefusedRequest(401, 'Credentials are needed', { 'www-authenticate': `Basic realm="${realm}"` });
    }
    if (this.known.list.length > this.limits.clients) throw comeBack('Too many clients');
  }

  /** Only names that were given are looked up: no path of a request ever reaches the file system. */
  private find({ repository }: CommandRequest): { root: string; name: string } {
    const [only] = this.names;
    const name = repository === '' && this.names.size === 1 ? only[0] : repository;
    const root = this.names.get(name);
    if (root === undefined) throw new RefusedRequest(404, 'There is no such repository');
    return { root, name };
  }

  private async run(
    { command, args, media }: CommandRequest,
    root: string,
    response: ServerResponse,
    transfer: ServedTransfer,
  ): Promise<void> {
    if (command === undefined) {
      await sendText(response, 'text/plain; charset=utf-8', 'A Mercurial repository. Clone it with "hg clone".\n');
      return;
    }
    if (writingCommands.has(command)) throw new RefusedRequest(403, 'This repository is read-only');
    const isBundle = command === 'getbundle' || command === 'stream_out';
    if (isBundle && this.bundles >= this.limits.bundles) throw comeBack('Too many clones at a time');
    this.bundles += isBundle ? 1 : 0;
    const stop = stopWith(response, this.limits.responseTime);
    try {
      const answer = await this.thread.ask(
        {
          ...{ root, command, args },
          chunksInSlab: Math.max(leastChunks, Math.min(mostChunks, Math.floor(chunksForAll / (2 * this.bundles || 1)))),
          lockPatience: this.limits.lockTime,
          compressStreams: this.request.compressStreams === true,
          postArguments: this.request.postArguments === true,
          engines: this.engines,
        },
        stop.signal,
      );
      if (answer.type === 'text') await sendText(response, legacyMedia, answer.text);
      else await this.sendBundle(answer, command, media, response, transfer);
    } finally {
      this.bundles -= isBundle ? 1 : 0;
      stop[Symbol.dispose]();
    }
  }

  private async sendBundle(
    { info, chunks }: Extract<ServedAnswer, { type: 'bundle' }>,
    command: string,
    media: string,
    response: ServerResponse,
    transfer: ServedTransfer,
  ): Promise<void> {
    const form =
      command === 'stream_out'
        ? { mediaType: legacyMedia, engine: 'none' as const, reason: l10n.t('the legacy stream is never compressed') }
        : chooseForm(info, parseClientMedia(media), this.engines);
    const { format, bytes, files, changesets } = info;
    const { mediaType, engine, reason } = form;
    Object.assign(transfer, { format, bytes, files, changesets, mediaType, compression: engine, reason });
    if (response.socket !== null) this.known.progressed(response.socket);
    response.writeHead(200, { 'content-type': form.mediaType });
    const head = command === 'stream_out' ? new Uint8Array(0) : formHead(form as ReturnType<typeof chooseForm>);
    await sendBytesTo(response, head, compressStream(engine, chunks), this.limits.slowReaderTime);
  }

  private fail(error: unknown, socket: Socket, response: ServerResponse, transfer: ServedTransfer | undefined): void {
    const message = error instanceof Error ? error.message : String(error);
    if (transfer !== undefined) {
      const isRefused = error instanceof RefusedRequest;
      this.known.finished(
        socket,
        transfer,
        response.destroyed ? 'broken off' : isRefused ? 'refused' : 'failed',
        message,
      );
    }
    if (!(error instanceof RefusedRequest)) this.operation.log('warn', `${transfer?.command ?? 'request'}: ${message}`);
    if (response.destroyed) return;
    // The client has been told that all is well: all that is left is not to end as if it were.
    if (response.headersSent) socket.destroy();
    else if (error instanceof RefusedRequest) refuse(response, error);
    else if (error instanceof EngineError)
      void sendText(response, errorMedia, `${printable(message)}\n`).catch(() => undefined);
    else refuse(response, new RefusedRequest(500, 'Something went wrong here'));
  }
}

/** A signal that is set when the client is gone, and when it has taken too long. */
function stopWith(response: ServerResponse, time: number): Disposable & { signal: AbortSignal } {
  const stop = new AbortController();
  const timer = setTimeout(() => response.destroy(), time);
  const onClose = () => stop.abort();
  response.once('close', onClose);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      response.off('close', onClose);
    },
  };
}

/** The repositories by the names they go by in addresses. @throws `destination` for what is none */
function nameRepositories({ repositories }: ServeRequest): Map<string, string> {
  const names = new Map<string, string>();
  for (const { root, name } of repositories) {
    const whole = resolve(root);
    locateRepository(whole);
    const wanted = (name ?? basename(whole)).replace(/^\/+|\/+$/g, '');
    let unique = wanted;
    for (let number = 2; names.has(unique); number++) unique = `${wanted}-${number}`;
    names.set(unique, whole);
  }
  if (names.size === 0)
    throw destinationError(l10n.t('There is no repository to serve.'), { advice: l10n.t('Name at least one.') });
  return names;
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const words: Record<string, string> = {
    EADDRINUSE: l10n.t('it is in use'),
    EACCES: l10n.t('permission was denied'),
    EADDRNOTAVAIL: l10n.t('this machine has no such address'),
    ENOTFOUND: l10n.t('there is no such host'),
  };
  const why = words[String(code)] as string | undefined;
  if (why === undefined) return error;
  return destinationError(l10n.t('Nothing can be served on {0}:{1}: {2}.', host, port, why), {
    subject: `${host}:${port}`,
    advice: l10n.t('Choose another port or address.'),
    cause: error,
  });
}
